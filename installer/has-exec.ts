/**
 * For `npm start`: succeeds where the shell has `exec`. npm signals its shell only, and a shell that waits for the
 * server passes nothing on; with `exec` the server takes its place. The shell of Windows has none, nor has it signals.
 */
process.exitCode = process.platform === 'win32' ? 1 : 0
