import { mkdirSync, readFileSync } from 'node:fs'
import { errorCode } from '../shared/thrown.ts'

export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export const makePrivateFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 })
