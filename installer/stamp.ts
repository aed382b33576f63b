import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Tells whether a build from `inputs` would give the same again, by paths, sizes and modification times: that takes a
 * few milliseconds, which matters because every `npm start` asks.
 */
export function stampOf(root: string, inputs: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of inputs.flatMap((input) => filesUnder(root, input)).sort()) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

export function isFresh(stampFile: string, stamp: string, outDir: string): boolean {
  return existsSync(outDir) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp
}

export function writeStamp(stampFile: string, stamp: string): void {
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, stamp)
}

function filesUnder(root: string, input: string): string[] {
  const path = join(root, input)
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [input]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const child = `${input}/${entry.name}`
    if (entry.isDirectory()) return filesUnder(root, child)
    return entry.isFile() && !isTest(entry.name) ? [child] : []
  })
}

const isTest = (name: string) => /\.test\.tsx?$/.test(name)
