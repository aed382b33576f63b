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
/** The bytes of a request that was none. */
const packet = 'err.rawPacket'
const redact = {
  paths: [
    ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
    ...[header, `*${header}`, `*.*${header}`],
    packet,
  ],
  censor: '[redacted]',
}

/** Writes JSON lines to `<data>/logs/homeport.N.log`, ten megabytes each, five kept. */
export async function openLog(dataDir: string, level: string): Promise<Log> {
  const stream: DestinationStream = await roll({
    file: join(dataDir, 'logs', 'homeport'),
    extension: '.log',
    size: '10m',
    limit: { count: 5 },
    mkdir: true,
  })
  return pino({ level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}

export const createLog = (level: string, stream: DestinationStream): Log =>
  pino({ level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime }, stream)

export const silentLog = (): Log => pino({ level: 'silent' })
