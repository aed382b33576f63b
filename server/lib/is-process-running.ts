import { errorCode } from '../../shared/thrown.ts'

/** Whether there is a process of this id, under any user. */
export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process.
    return errorCode(error) === 'EPERM'
  }
}
