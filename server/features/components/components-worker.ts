import { createHash } from 'node:crypto'
import { closeSync, copyFileSync, mkdirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { syncToDisk } from '../../../shared/node/files.ts'
import { workHere } from '../../platform/tasks/index.ts'
import { writeFacts } from './program-facts.ts'
import type { ProgramKey, ReadyProgram } from './program-key.ts'
import { programName } from './release/file-names.ts'
import { type ReleaseDraft, type Verification, verifyRelease } from './release/verify-release.ts'

/** Hashes and unpacks: tens of megabytes at a time, for seconds, in a thread of its own. */

/** A program that is installed on the appliance. */
export interface CopyWork extends ProgramKey {
  do: 'copy'
  from: string
  folder: string
  addedAt: string
}

export type ComponentWork = ({ do: 'verify' } & ReleaseDraft) | CopyWork

/** The copy is hashed, because the program itself may be replaced meanwhile. */
function copy({ from, folder, addedAt, component, version, platform }: CopyWork): Verification {
  mkdirSync(folder, { recursive: true })
  const to = join(folder, programName(component, platform))
  copyFileSync(from, to)
  syncToDisk(to)
  const facts = { ...sumOf(to), source: 'installed' as const, signedBy: null, addedAt }
  writeFacts(folder, facts)
  const ready: ReadyProgram = { component, version, platform, folder, facts }
  return { programs: [ready] }
}

function sumOf(file: string) {
  const hash = createHash('sha256')
  const piece = Buffer.alloc(1024 * 1024)
  const handle = openSync(file, 'r')
  let bytes = 0
  try {
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      hash.update(piece.subarray(0, read))
      bytes += read
    }
  } finally {
    closeSync(handle)
  }
  return { sha256: hash.digest('hex'), bytes }
}

await workHere<ComponentWork, never>((work) => (work.do === 'copy' ? copy(work) : verifyRelease(work)))
