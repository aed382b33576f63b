import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isFresh, stampOf, writeStamp } from './stamp.ts'
import { type Target, targets } from './targets.ts'

/** `node installer/build.ts [--if-stale] <target...>`: builds into `dist/`, see targets.ts. */

const say = (text: string) => process.stdout.write(text)

export interface BuildRequest {
  root: string
  targets: Record<string, Target>
  names: readonly string[]
  onlyIfStale: boolean
}

/** Builds the named targets in order and answers the names of those that had to be built. */
export async function buildTargets({ root, targets, names, onlyIfStale }: BuildRequest): Promise<string[]> {
  const built: string[] = []
  for (const name of names) {
    const target = targets[name]
    if (!target) throw new Error(`No such target: ${name} (there are ${Object.keys(targets).join(', ')})`)
    const stampFile = join(root, `dist/.stamp-${name}`)
    // Taken before building: a file saved meanwhile makes the next run build again.
    const stamp = stampOf(root, target.inputs)
    if (onlyIfStale && isFresh(stampFile, stamp, join(root, target.outDir))) continue
    await buildTarget(root, name, target)
    writeStamp(stampFile, stamp)
    built.push(name)
  }
  return built
}

/** Builds beside the old output and swaps at the end, so that a running server never serves half a console. */
async function buildTarget(root: string, name: string, target: Target): Promise<void> {
  say(`Building the ${target.label} … `)
  const startedAt = performance.now()
  const outDir = join(root, target.outDir)
  const fresh = join(root, `dist/.new-${name}-${process.pid}`)
  try {
    mkdirSync(fresh, { recursive: true })
    await target.build(root, fresh)
    rmSync(outDir, { recursive: true, force: true })
    renameSync(fresh, outDir)
  } catch (error) {
    say('failed\n')
    throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  say(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

if (import.meta.main) {
  const args = process.argv.slice(2)
  const names = args.filter((arg) => arg !== '--if-stale')
  const root = join(import.meta.dirname, '..')
  await buildTargets({ root, targets, names, onlyIfStale: args.includes('--if-stale') })
}
