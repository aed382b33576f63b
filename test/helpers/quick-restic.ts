import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const file = join(root, 'node_modules/.cache/quick-restic/restic')

/** The restic of the usual tests, see `agent/testing/quick-restic.ts`; undefined where somebody names one, or there is none. */
export const quickRestic = process.env.RESTIC_PATH === undefined && existsSync(file) ? file : undefined

/** Only a shell can stand in for a program; elsewhere restic is used as it is. */
export function writeQuickRestic(): void {
  if (process.platform === 'win32') return
  const real = process.env.RESTIC_PATH ?? execFileSync('sh', ['-c', 'command -v restic'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh
case " $* " in
  *" init "*|*" key add "*) exec "${process.execPath}" "${join(root, 'agent/testing/quick-restic.ts')}" "${real}" "$@" ;;
esac
exec "${real}" "$@"
`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, script, { mode: 0o755 })
}
