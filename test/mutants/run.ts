import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Mutant, mutants } from './mutants.ts'

/**
 * `node test/mutants/run.ts [part of a file name...]`: whether the tests notice defects. Each mutant is applied to a
 * scratch checkout of the commit at hand, where its tests are run.
 */

const root = join(import.meta.dirname, '..', '..')
const say = (text: string) => process.stdout.write(`${text}\n`)

function git(...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** @throws when the code has changed so that the mutant no longer fits. */
function applied({ file, text, replacement, tests }: Mutant): string {
  const missing = [file, ...tests].find((name) => !existsSync(join(root, name)))
  if (missing) throw new Error(`There is no ${missing}`)
  const parts = readFileSync(join(root, file), 'utf8').split(text)
  if (parts.length !== 2) throw new Error(`${file} says ${parts.length - 1} times, not once: ${text}`)
  return parts.join(replacement)
}

function isKilled(checkout: string, mutant: Mutant): boolean {
  const file = join(checkout, mutant.file)
  const original = readFileSync(file, 'utf8')
  writeFileSync(file, applied(mutant))
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--bail', '1', ...mutant.tests]
    // Tests that hang, because the defect is a loop without an end, have noticed it.
    const { status } = spawnSync(process.execPath, args, { cwd: checkout, timeout: 120_000, killSignal: 'SIGKILL' })
    return status !== 0
  } finally {
    writeFileSync(file, original)
  }
}

const wanted = process.argv.slice(2)
const chosen = mutants.filter(({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
for (const mutant of mutants) applied(mutant)
const checkout = join(mkdtempSync(join(tmpdir(), 'homeport-mutants-')), 'checkout')
git('worktree', 'add', '--detach', checkout)
try {
  for (const folder of ['node_modules', 'dist'])
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(checkout, folder))
  let survivors = 0
  for (const mutant of chosen) {
    const killed = isKilled(checkout, mutant)
    if (!killed) survivors++
    say(`${killed ? 'killed  ' : 'SURVIVED'}  ${mutant.file}: ${mutant.text.split('\n')[0]}`)
  }
  say(`${chosen.length - survivors} of ${chosen.length} killed`)
  process.exitCode = survivors > 0 ? 1 : 0
} finally {
  git('worktree', 'remove', '--force', checkout)
}
