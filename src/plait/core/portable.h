/* What C compilers spell differently. */
#ifndef PLAIT_PORTABLE_H
#define PLAIT_PORTABLE_H

#if defined(__GNUC__) || defined(__clang__)
#define PLAIT_PREFETCH(address) __builtin_prefetch((const void *)(address), 0, 3)
#else
#define PLAIT_PREFETCH(address) ((void)(address))
#endif

#endif
