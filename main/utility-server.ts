import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { UtilityProcess, utilityProcess } from 'electron'
import { describeEnd, followErrors } from './last-words.ts'
import type { StartServer } from './server-process.ts'

export interface UtilityServerOptions {
  fork: typeof utilityProcess.fork
  entry: string
  env: () => Promise<NodeJS.ProcessEnv>
  /** Gets what the server writes to its error output. */
  log: (text: string) => void
}

/** Starts the server in Electron's own kind of child process, the only kind left with the RunAsNode fuse off. */
export function utilityServer({ fork, entry, env, log }: UtilityServerOptions): StartServer {
  return async (onMessage) => {
    const child = fork(entry, [], {
      serviceName: 'Homeport server',
      stdio: ['ignore', 'inherit', 'pipe'],
      env: await env(),
    })
    const errorOutput = followErrors(child.stderr, log)
    child.on('message', onMessage)
    return {
      send: (message) => child.postMessage(message),
      kill: () => killNow(child),
      exited: once(child, 'exit').then(async ([code]) => {
        await drained(child.stderr)
        return describeEnd(code, errorOutput())
      }),
    }
  }
}

/** `child.kill()` only asks by SIGTERM on POSIX systems. */
function killNow({ pid }: UtilityProcess): void {
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended in this very moment.
  }
}

/** The last output may arrive after the exit. A grandchild may hold the stream open, so the wait is short. */
async function drained(stream: NodeJS.ReadableStream | null): Promise<void> {
  if (stream) await Promise.race([finished(stream).catch(() => {}), delay(200)])
}
