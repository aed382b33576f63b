import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { resticVersion } from './version.ts'

export interface ResticProgram {
  file: string
  version: string
}

/** The restic that this device has. */
export interface ResticPrograms {
  /** Looked for again when it is asked for: somebody may have installed one meanwhile. */
  find(): Promise<ResticProgram | null>
  /** What was found last. */
  known(): ResticProgram | null
}

const name = process.platform === 'win32' ? 'restic.exe' : 'restic'

const usualFolders = (): string[] =>
  process.platform === 'win32'
    ? [join(process.env.ProgramFiles ?? 'C:\\Program Files', 'restic')]
    : ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/opt/restic']

export function findRestic(environment = process.env): ResticPrograms {
  let found: ResticProgram | null = null
  const candidates = () => {
    const named = environment.RESTIC_PATH
    // Never of the working directory, where anybody may have put one.
    const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && folder !== '.')
    return [...(named ? [named] : []), ...[...folders, ...usualFolders()].map((folder) => join(folder, name))]
  }
  return {
    known: () => found,
    async find() {
      for (const file of new Set(candidates())) {
        if (!(await isProgram(file))) continue
        const version = await resticVersion(file)
        if (version) {
          found = { file, version }
          return found
        }
      }
      found = null
      return null
    },
  }
}

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
