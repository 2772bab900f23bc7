"""Options of a pipeline that is trained in a second."""

QUICK = {
    "parser": "easyfirst-joint",
    "parser_options": "epochs=3",
    "segmenter_options": "structure=linear optimizer=adagrad epochs=5",
}
