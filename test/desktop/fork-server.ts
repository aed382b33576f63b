import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { describeEnd, followErrors } from '../../main/last-words.ts'
import type { StartServer } from '../../main/server-process.ts'
import { isProcessRunning } from '../../server/lib/is-process-running.ts'

export type Manner = 'well' | 'crashes' | 'crashes-after-ready' | 'moves' | 'deaf' | 'hangs'

/** Starts fake servers as real child processes; the n-th start has the n-th manner, the last one repeats. */
export function forkServers(...manners: [Manner, ...Manner[]]) {
  const children: ChildProcess[] = []
  const start: StartServer = (onMessage) => {
    const manner = manners[Math.min(children.length, manners.length - 1)] ?? manners[0]
    const child = fork(join(import.meta.dirname, 'fake-server.ts'), [manner], { silent: true, execArgv: [] })
    children.push(child)
    const errorOutput = followErrors(child.stderr)
    child.on('message', onMessage)
    return {
      send: (message) => child.connected && child.send(message),
      kill: () => child.kill('SIGKILL'),
      exited: new Promise((resolve) => child.once('close', (code) => resolve(describeEnd(code, errorOutput())))),
    }
  }
  return { start, children }
}

export const isAlive = (pid: number | undefined) => pid !== undefined && isProcessRunning(pid)
