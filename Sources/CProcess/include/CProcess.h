// What Swift cannot do with processes: see the arguments without /proc, fork with a guard beside the child, end a process
// whose threads do not run, say where tasks run, and wait for several descriptors or for a
// lock in a way that can be ended.
#ifndef CPROCESS_H
#define CPROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// The arguments as the kernel gave them to the C runtime; NULL at and beyond the end.
const char *cprocess_argument(int index);

// The commit that the program was built from, as 40 hexadecimal digits, followed by "+" if it had changes; or "unknown".
const char *cprocess_commit(void);

// No core dump, no /proc/PID/mem or environ for other processes of the same user; unless MATTERCTL_CORE_DUMPS is 1, for who
// looks for the cause of a crash.
void cprocess_seal(void);

// Lets the heap grow in steps of a megabyte, for a command that is over before it needs a second one: fewer system calls, and no
// page more in memory.
void cprocess_take_memory_at_once(void);

// Whether so many threads and descriptors can be had at once, on top of what there is: 0, or the errno that says why not.
int cprocess_has_threads(int count);
int cprocess_has_descriptors(int count);

// MARK: Signals and the end of time

// From now on SIGINT and SIGTERM end the process with that status and message on stderr. Messages must live as long as the
// process.
void cprocess_arm(const char *interrupted, int interrupted_status);
// From now on the signals ring an alarm instead (eight bytes are written into it). A signal that the process does not
// acknowledge in time ends it all the same.
void cprocess_listen(int alarm);
// They ring that one, too: for who keeps the thread of the first.
void cprocess_listen_too(int alarm);
// Whether a signal has come since this was asked for the last time.
bool cprocess_signal_came(void);
// The last signal has been acted on.
void cprocess_acknowledge(void);
// From now on SIGHUP does not end the process: it asks a server to read its records again.
void cprocess_watch_hangup(void);
// Whether a SIGHUP has come since this was asked for the last time.
bool cprocess_hangup_came(void);
// Ends the process with that status and message, once it is armed, if it still runs after so many seconds.
void cprocess_limit(unsigned seconds, const char *late, int late_status);

// MARK: Tasks

// From now on every job of Swift's tasks and actors that has no executor of its own is handed to that function, on any
// thread, and is to be run once. To be called before the first of them.
void cprocess_take_jobs(void (*take_job)(void *job));
void cprocess_run_job(void *job);

// Starts a thread for the loop of a library, which is not waited for and gets no signals. Returns 0 or errno.
int cprocess_start_thread(const char *name, void *(*run)(void *), void *argument);

// MARK: Events

// Descriptors that are waited for together (epoll); -1 if the system has none.
int cprocess_events(void);
// Returns 0 or errno.
int cprocess_events_add(int events, int descriptor);
// Waits until some of them can be read, or for so many milliseconds; -1 for ever. Returns how many there are, 64 at most.
int cprocess_events_wait(int events, int *descriptors, int most, int milliseconds);
// A descriptor that can be read from when another thread has rung until it is quieted; -1 if the system has none.
int cprocess_alarm(void);
// Keeps one for who needs the next, as it is not needed yet.
void cprocess_alarm_spare(int alarm);
void cprocess_alarm_ring(int alarm);
void cprocess_alarm_quiet(int alarm);

// MARK: Waits

// What only a thread can wait for: the kernel says by no descriptor that a lock is free.
typedef enum {
    // The lock of a file (flock), which the descriptor then has.
    CPROCESS_WAIT_FILE_LOCK,
    // That no other open file has a lock on the bytes. The descriptor has none afterwards.
    CPROCESS_WAIT_RANGE,
    // That something can be read from one of the descriptors or written to it, or that its other end has gone.
    CPROCESS_WAIT_DESCRIPTORS,
} CProcessWaitKind;

typedef struct {
    int descriptor;
    bool is_written;
} CProcessWaitDescriptor;

typedef struct CProcessWait CProcessWait;

// Waits on a thread of its own, with the first descriptor or all of them (four at most), which must stay open until it calls
// `ended`, once: with 0, with the errno that kept it from waiting, or with ECANCELED. A cancelled wait may have the lock all
// the same. Returns 0 or errno.
int cprocess_wait_start(CProcessWaitKind kind, const CProcessWaitDescriptor *descriptors, int count, int64_t start,
                        int64_t length, void (*ended)(void *context, int outcome), void *context,
                        CProcessWait **started);
// Ends the wait, if it has not ended.
void cprocess_wait_cancel(CProcessWait *wait);
// Whoever started it has done with it. It goes on.
void cprocess_wait_forget(CProcessWait *wait);

// MARK: Files

// Whether an open file or folder lies in a file system in memory. Swift's Glibc has no statfs.
bool cprocess_in_memory(int descriptor);
// The effective user when the program began, which the kernel has told with its arguments.
uid_t cprocess_user(void);
// The next entries of a folder, as getdents64(2) gives them, without the calls that a stream makes beside it. Returns how many
// bytes there are, 0 at the end, or -1.
ssize_t cprocess_entries(int folder, void *buffer, size_t size);

// Whether the kernel's clock follows a source of time: 1, 0, or -1 if it does not say.
int cprocess_clock_state(void);
// Whether the kernel has random numbers: 1, 0, or -1 if it does not say. Swift's Glibc has no getrandom.
int cprocess_has_entropy(void);

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
