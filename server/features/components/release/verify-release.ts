import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ProgramSource } from '../../../../shared/api/components.ts'
import { type ComponentName, compareVersions } from '../../../../shared/components.ts'
import { writeFacts } from '../program-facts.ts'
import type { ReadyProgram } from '../program-key.ts'
import { programName, type ReleaseFile, releaseFileOf, signatureName, sumsName } from './file-names.ts'
import { readSignedSums } from './signed-sums.ts'
import { unpack } from './unpack.ts'

/** Files of a release, wherever they come from, before anything about them is certain. */
export interface ReleaseDraft {
  component: ComponentName
  oldestVersion: string
  /** ASCII-armored. */
  key: string
  files: readonly { name: string; path: string }[]
  /** Where what is verified and unpacked is put. */
  folder: string
  source: ProgramSource
  addedAt: string
}

type Reason =
  | 'component_files_missing'
  | 'component_file_unknown'
  | 'component_file_twice'
  | 'component_too_old'
  | 'component_signature_invalid'
  | 'component_file_unlisted'
  | 'component_checksum_mismatch'
  | 'component_file_unreadable'

export type Verification = { programs: ReadyProgram[] } | { refused: Reason; file?: string }

/** Larger than any file of checksums. */
const largestText = 256 * 1024
/** Larger than any of these programs. */
const largestProgram = 96 * 1024 * 1024

/** Unpacks every program of a release, if all of it is what the holder of the key has signed: one bad file refuses all. */
export async function verifyRelease(draft: ReleaseDraft): Promise<Verification> {
  const { files, key, component } = draft
  const names = files.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return { refused: 'component_file_twice', file: twice }
  const pathOf = (name: string) => files.find((file) => file.name === name)?.path
  const others = names.filter((name) => name !== sumsName && name !== signatureName)
  const wanted: ReleaseFile[] = []
  for (const name of others) {
    const file = releaseFileOf(name)
    if (!file) return { refused: 'component_file_unknown', file: name }
    if (compareVersions(file.version, draft.oldestVersion) < 0) return { refused: 'component_too_old', file: name }
    wanted.push(file)
  }
  const [sumsPath, signaturePath] = [pathOf(sumsName), pathOf(signatureName)]
  if (!sumsPath || !signaturePath || wanted.length === 0) return { refused: 'component_files_missing' }

  const signed = await readSignedSums(textIn(sumsPath), textIn(signaturePath).toString('latin1'), key)
  if (!signed) return { refused: 'component_signature_invalid', file: signatureName }
  const programs: ReadyProgram[] = []
  for (const { name, version, platform, packing } of wanted) {
    const path = pathOf(name) ?? ''
    const sum = signed.sums.get(name)
    if (!sum) return { refused: 'component_file_unlisted', file: name }
    if ((await sha256Of(path)) !== sum) return { refused: 'component_checksum_mismatch', file: name }
    const folder = join(draft.folder, version, platform)
    mkdirSync(folder, { recursive: true })
    const to = join(folder, programName(component, platform))
    const unpacked = await unpack(path, packing, to, largestProgram).catch(notOfDisk)
    if (!unpacked) return { refused: 'component_file_unreadable', file: name }
    const facts = { ...unpacked, source: draft.source, signedBy: signed.signedBy, addedAt: draft.addedAt }
    writeFacts(folder, facts)
    programs.push({ component, version, platform, folder, facts })
  }
  return { programs }
}

/** A disk that is full says nothing about the file. */
function notOfDisk(error: NodeJS.ErrnoException): null {
  if (error.syscall !== undefined) throw error
  return null
}

const textIn = (path: string): Buffer => (statSync(path).size > largestText ? Buffer.alloc(0) : readFileSync(path))

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
