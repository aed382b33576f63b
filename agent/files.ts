import { mkdirSync, readFileSync } from 'node:fs'

export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const makePrivateFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 })
