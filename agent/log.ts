import { appendFileSync, renameSync, statSync } from 'node:fs'

export interface Log {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

const largestFileBytes = 5 * 1024 * 1024

/** One line per event. Tokens are never logged on purpose; what looks like one is redacted all the same. */
export function createLog(options: { verbose?: boolean; write?: (line: string) => void } = {}): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(line))
  const at = (level: string) => (message: string) => {
    const text = message.replace(/brz_\w+/g, 'brz_[redacted]').replace(/[\r\n]+/g, ' ')
    write(`${new Date().toISOString()} ${level} ${text}\n`)
  }
  return {
    debug: options.verbose ? at('debug') : () => {},
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
}

/** A writer for systems whose service manager keeps no log: the file and its predecessor, 5 MB each. */
export function logFile(path: string): (line: string) => void {
  return (line) => {
    try {
      appendFileSync(path, line, { mode: 0o600 })
      if (statSync(path).size > largestFileBytes) renameSync(path, `${path}.1`)
    } catch {
      process.stderr.write(line) // a full disk must not stop the agent
    }
  }
}
