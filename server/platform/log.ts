import { once } from 'node:events'
import { join } from 'node:path'
import { type DestinationStream, type Logger, pino } from 'pino'
import roll from 'pino-roll'

export type Log = Logger

/** Keys whose values never reach a log, wherever they stand. */
const secretKeys = [
  'password',
  'token',
  'authorization',
  'cookie',
  'setupCode',
  'enrollmentKey',
  'enrollmentSecret',
  'accessToken',
  'authToken',
  'key',
  'secret',
]
const header = '["x-api-key"]'
/** The raw bytes of a request that could not be parsed. */
const packet = 'err.rawPacket'
const redact = {
  paths: [
    ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
    ...[header, `*${header}`, `*.*${header}`],
    packet,
  ],
  censor: '[redacted]',
}

export interface LogFile {
  log: Log
  /** Resolves when everything is in the file; what is logged afterwards is lost. */
  close: () => Promise<void>
}

/** Writes JSON lines to `<data>/logs/homeport.N.log`, ten megabytes each; when one is full, the newest six stay, or seven. */
export async function openLog(dataDir: string, level: string): Promise<LogFile> {
  const file = await roll({
    file: join(dataDir, 'logs', 'homeport'),
    extension: '.log',
    size: '10m',
    // Without the flag only files of this run count, and those of earlier runs stay for ever.
    limit: { count: 6, removeOtherLogFiles: true },
    mkdir: true,
  })
  let isOpen = true
  return {
    log: createLog(level, { write: (line) => isOpen && file.write(line) }),
    close: async () => {
      isOpen = false
      const closed = once(file, 'close')
      file.end()
      await closed
    },
  }
}

export const createLog = (level: string, stream: DestinationStream): Log =>
  pino({ level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime }, stream)

export const silentLog = (): Log => pino({ level: 'silent' })
