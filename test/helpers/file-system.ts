import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Replaces functions of Node's file system while `run` works. */
export async function withFileSystem(
  replaced: Partial<Record<keyof typeof fs, unknown>>,
  run: () => unknown,
): Promise<void> {
  const names = Object.keys(replaced) as (keyof typeof fs)[]
  const real = Object.fromEntries(names.map((name) => [name, fs[name]]))
  Object.assign(fs, replaced)
  syncBuiltinESMExports()
  try {
    await run()
  } finally {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  }
}

/** What `run` synced to the disk and renamed to, in order: `['sync /a/x.tmp', 'rename /a/x', 'sync /a']`. */
export async function diskSteps(run: () => unknown): Promise<string[]> {
  const { openSync, fsyncSync, renameSync } = fs
  const steps: string[] = []
  const opened = new Map<number, string>()
  const recorded = {
    openSync(path: string, ...more: [string, number?]) {
      const handle = openSync(path, ...more)
      opened.set(handle, path)
      return handle
    },
    fsyncSync(handle: number) {
      steps.push(`sync ${opened.get(handle)}`)
      fsyncSync(handle)
    },
    renameSync(from: string, to: string) {
      steps.push(`rename ${to}`)
      renameSync(from, to)
    },
  }
  await withFileSystem(recorded, run)
  return steps
}
