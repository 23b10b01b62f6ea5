// What Swift cannot do with processes: see the arguments without /proc, fork with a guard beside the child, and end a
// process whose threads do not run.
#ifndef CPROCESS_H
#define CPROCESS_H

#include <sys/types.h>

// The arguments as the kernel gave them to the C runtime; NULL at and beyond the end.
const char *cprocess_argument(int index);

// No core dump, no /proc/PID/mem or environ for other processes of the same user.
void cprocess_seal(void);

// Whether so many threads and descriptors can be had at once, on top of what there is: 0, or the errno that says why not.
int cprocess_has_threads(int count);
int cprocess_has_descriptors(int count);

// MARK: Signals and the end of time

// From now on SIGINT and SIGTERM end the process with that status and those messages on stderr. The messages must live
// as long as the process.
void cprocess_arm(const char *interrupted, int interrupted_status, const char *late, int late_status);
// From now on the signals write a byte into the descriptor instead. A signal that the process does not acknowledge in
// time ends it all the same.
void cprocess_listen(int descriptor);
// The last signal has been acted on.
void cprocess_acknowledge(void);
// Ends the process with the status and message for being late if it still runs after so many seconds.
void cprocess_limit(unsigned seconds);

// MARK: Children

// A pipe that no other program inherits. Returns 0 or errno.
int cprocess_pipe(int ends[2]);

typedef struct {
    // The guard: the child of ours that is to be waited for.
    pid_t guard;
    // One byte is read from here as soon as the program has ended: its exit status, or 128 and more for a signal.
    // Closing it kills what is left of the program's process group.
    int control;
} CProcessChild;

// Runs `/bin/sh -c command` in a process group of its own, with the descriptors as stdin, stdout and stderr and no others.
// It ends when this process ends, however that happens. Returns 0 or errno.
int cprocess_spawn(const char *command, char *const environment[], int input, int output, int errors,
                   CProcessChild *child);

#endif
