import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface ResticRun {
  code: number | null
  stdout: string
  stderr: string
}

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-restic-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The real restic, for one repository with one password. */
export function restic(repository: string, password = 'a password for tests') {
  const folder = scratchFolder()
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    RESTIC_CACHE_DIR: join(folder, 'cache'),
    RESTIC_REPOSITORY: repository,
    RESTIC_PASSWORD_FILE: passwordFile,
    RESTIC_PROGRESS_FPS: '0.5',
  }
  const start = (...args: string[]) => spawn(process.env.RESTIC_PATH ?? 'restic', args, { env })
  const run = async (...args: string[]): Promise<ResticRun> => {
    const child = start(...args)
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject)),
    ])
    return { code, stdout, stderr }
  }
  /** @throws with what it said when it fails */
  const ok = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args)
    if (code !== 0) throw new Error(`restic ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
    return stdout
  }
  return { env, passwordFile, start, run, ok }
}
