import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

interface Locked {
  resolved?: string
  gypfile?: boolean
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}

/** npm compiles a package with a `binding.gyp` that neither has an install script of its own nor says `gypfile: false`. */
function wouldBeCompiled(path: string): boolean {
  const folder = join(root, path)
  if (!existsSync(join(folder, 'binding.gyp'))) return false
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>
  }
  return !scripts.install && !scripts.preinstall
}

test('npm 10 installs without a compiler: it reads `gypfile` in the lock file only', () => {
  const compiled = Object.keys(packages).filter((path) => path !== '' && wouldBeCompiled(path))
  expect(compiled).toEqual(['node_modules/better-sqlite3'])
  for (const path of compiled)
    expect(
      packages[path]?.gypfile,
      `npm dropped a line when it wrote package-lock.json. Put "gypfile": false back into "${path}", after "integrity"`,
    ).toBe(false)
})

test('the lock file names no address to download from: every machine asks its own registry', () => {
  const named = Object.keys(packages).filter((path) => packages[path]?.resolved)
  expect(named, 'Write the lock file with npm install --omit-lockfile-registry-resolved').toEqual([])
})
