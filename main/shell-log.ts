import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

const maxBytes = 1_000_000

/**
 * Writes what the shell sees (states of the server, its error output) to `<logs>/desktop.log`, beside the server's
 * own logs. The file of a former run is set aside once it is large.
 */
export function openShellLog(folder: string, now: () => Date = () => new Date()): (text: string) => void {
  const file = join(folder, 'desktop.log')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (existsSync(file) && statSync(file).size > maxBytes) renameSync(file, join(folder, 'desktop.old.log'))
  return (text) => appendFileSync(file, `${now().toISOString()} ${text.trimEnd()}\n`, { mode: 0o600 })
}
