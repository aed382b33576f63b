import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Exclusions } from '../../agent/restic/exclusions.ts'
import { excludeArguments } from '../../agent/restic/patterns.ts'
import { walk } from '../../agent/restic/walk.ts'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { backupLinkSettings } from '../../shared/backup-plan.ts'

/** What a preview finds is what the real restic backs up. */

const names = ['a', 'ab', 'a b', '.cache', '[x]', 'x', 'a*b', '!a', '$R', 'ü', 'b-c', '^', 'tmp.txt', 'c]', 'a?', 'A']

/** A tree in which each of the names is a folder and a file somewhere. */
function makeTree(root: string): void {
  for (const [n, name] of names.entries()) {
    mkdirSync(join(root, name))
    for (const [m, inner] of names.entries()) {
      const path = join(root, name, inner)
      if ((n + m) % 3 > 0) writeFileSync(path, inner)
      else {
        mkdirSync(path)
        for (const deep of names.slice(0, 8)) writeFileSync(join(path, deep), deep)
      }
    }
  }
  symlinkSync('a', join(root, 'link'))
  symlinkSync('nowhere', join(root, 'x', 'dead link'))
  mkdirSync(join(root, 'empty'))
}

async function found(paths: string[], excludes: string[]): Promise<string[]> {
  const exclusions = new Exclusions(excludes)
  const all: string[] = []
  const looking = {
    signal: new AbortController().signal,
    isLeftOut: (path: string) => exclusions.patternFor(path) !== undefined,
    onUnreadable: (path: string) => expect.unreachable(path),
  }
  for await (const batch of walk(paths, looking)) all.push(...batch.map(({ path }) => path))
  return all.toSorted()
}

const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '[a-z]', '[!]', '[*]', '[b-a]', '-', 'ü', '.'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((pieces) => pieces.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('**', '*', '.', '..', '', '[', '[]', '[^]', '[^^]', '[-a]', '[a-]', ']') },
)
const pattern = fc
  .record({
    parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    start: fc.constantFrom('', '', '', '/', '**/', '@/'),
    end: fc.constantFrom('', '', '/', '/**'),
  })
  .map(({ parts, start, end }) => `${start}${parts.join('/')}${end}`)

test('the same files as those of the real restic, whatever is left out', async () => {
  const folder = scratchFolder()
  const [root, repository] = [join(folder, 'root'), join(folder, 'repository')]
  mkdirSync(root)
  makeTree(root)
  makeQuickRepository(repository)
  const { run, ok } = restic(repository, quickPassword)
  const nodes = async (snapshot: string) =>
    (await ok('ls', '--json', snapshot))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { path?: string }).path ?? '')
  const compare = async (patterns: string[], inner: string) => {
    const excludes = patterns.map((one) => one.replace('@', root))
    const path = join(root, inner)
    const settings = { backupMode: 'file', targets: { paths: [path], excludes } }
    if (!backupLinkSettings.safeParse(settings).success) return
    const { code, stdout, stderr } = await run('backup', '--json', ...excludeArguments(excludes), '--', path)
    const isEmpty = code !== 0 && /empty/.test(stderr)
    expect(code === 0 || isEmpty, `restic takes each pattern that a policy may have: ${stderr}`).toBe(true)
    const said = stdout.trim().split('\n').at(-1) ?? ''
    const backedUp = isEmpty ? [] : await nodes((JSON.parse(said) as { snapshot_id: string }).snapshot_id)
    const below = (paths: string[]) => paths.filter((one) => one === path || one.startsWith(`${path}/`)).toSorted()
    expect(below(await found([path], excludes))).toEqual(below(backedUp))
  }
  await compare([], '')
  await compare(['.cache', '$R', '!a', 'a*b'], '')
  await compare(['/**/a/**', '@/**/x/**/ab'], '')
  await fc.assert(
    fc.asyncProperty(
      fc.array(pattern, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', 'a', 'a/ab', '.cache', 'link', 'x/A'),
      compare,
    ),
    { numRuns: 500 },
  )
})
