import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = join(import.meta.dirname, '..', '..')

/** Below those that systems hand out for connections, one of which could take a port between its choice and its use. */
const lowestPort = 10_000
const highestPort = 32_000

/** A port nobody listens on at this moment; the preferred one, if that is free. */
export async function freePort(preferred = randomInt(lowestPort, highestPort)): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return freePort()
    throw error
  }
  server.close()
  await once(server, 'close')
  return preferred
}

export interface RealProcess {
  child: ChildProcess
  /** Everything it has written so far. */
  output(): string
  /** Resolves when the output has the text; rejects when the process ends or takes too long. */
  saying(text: string | RegExp, timeoutMs?: number): Promise<string>
  stop(signal?: NodeJS.Signals): Promise<void>
}

const inherited = () =>
  Object.fromEntries(
    ['PATH', 'HOME', 'NODE_COMPILE_CACHE', 'RESTIC_PATH'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Starts an entry of ours as a process of its own. */
export function startProcess(entry: string, args: string[], env: Record<string, string>): RealProcess {
  return startCommand(process.execPath, [join(root, entry), ...args], env)
}

/** Starts the agent as devices have it, in one file. */
export const startAgentProcess = (args: string[], env: Record<string, string> = {}): RealProcess =>
  startProcess('dist/agent/homeport-agent.mjs', args, env)

/** Starts any program at the root of the project. */
export function startCommand(command: string, args: string[], env: Record<string, string>): RealProcess {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const listeners = new Set<() => void>()
  const heard = (chunk: Buffer) => {
    text += String(chunk)
    for (const listener of listeners) listener()
  }
  child.stdout.on('data', heard)
  child.stderr.on('data', heard)
  child.once('exit', () => {
    for (const listener of listeners) listener()
  })
  return {
    child,
    output: () => text,
    saying: (wanted, timeoutMs = 120_000) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => {
          done()
          reject(new Error(`${[command, ...args].join(' ')} ${why} before it said ${String(wanted)}:\n${text}`))
        }
        const look = () => {
          if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) {
            done()
            resolve(text)
          } else if (child.exitCode !== null) fail(`ended with ${child.exitCode}`)
        }
        const timer = setTimeout(() => fail('took too long'), timeoutMs)
        const done = () => {
          clearTimeout(timer)
          listeners.delete(look)
        }
        listeners.add(look)
        look()
      }),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

/**
 * The server as the desktop app brings it, which starts in half the time of the sources, on a free port. Its passwords are
 * hashed cheaply, and sign-ins answered at once.
 */
export async function startServer(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<RealProcess & { port: number }> {
  const port = Number(env.HOMEPORT_PORT ?? (await freePort()))
  const server = startProcess('dist/server/index.js', [], {
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'cheap-hashes-preload.mjs')).href}`,
    HOMEPORT_SIGN_IN_FLOOR_MS: '0',
    HOMEPORT_DATA_DIR: dataDir,
    HOMEPORT_HOST: '127.0.0.1',
    HOMEPORT_PORT: String(port),
    ...env,
  })
  try {
    await server.saying('Press Ctrl+C to stop.')
  } catch (error) {
    await server.stop('SIGKILL')
    throw error
  }
  return { ...server, port }
}
