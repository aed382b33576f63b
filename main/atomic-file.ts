import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces `file` whole or not at all, also when the power fails. Only its owner may read it. */
export function writeFileAtomically(file: string, content: string | Buffer): void {
  const fresh = `${file}.new`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(fresh, content, { mode: 0o600, flush: true })
  renameSync(fresh, file)
}
