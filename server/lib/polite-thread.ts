import { setPriority } from 'node:os'

const politeness = 10

/**
 * On Linux each thread has a priority of its own: with a lower one for what writes and reads large files, the main thread
 * answers others meanwhile. Elsewhere the system's scheduler has to do. To be called in the thread itself.
 */
export function bePolite(): void {
  if (process.platform === 'linux') setPriority(politeness)
}
