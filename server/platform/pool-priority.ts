import { readdir, readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

const politeness = 10

/**
 * Hashing a password keeps a core busy for a tenth of a second. On Linux each thread has a priority of its own: with a
 * lower one for Node's pool, and so for the threads the hash starts from there, many sign-ins at once do not slow what
 * the main thread answers meanwhile (`npm run bench -- sign-in`). Elsewhere the system's scheduler has to do.
 */
export async function lowerPoolPriority(): Promise<void> {
  if (process.platform !== 'linux') return
  // Reading a directory starts the pool, so its threads are in the list.
  for (const thread of await readdir('/proc/self/task')) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '')
    if (name.trim() === 'libuv-worker') setPriority(Number(thread), politeness)
  }
}
