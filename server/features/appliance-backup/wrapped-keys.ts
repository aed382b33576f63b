import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWrappedRing } from '../../platform/secrets.ts'

/** Whether the keys are wrapped by the keychain of this desktop, so that a backup opens on this machine and account only. */
export function opensHereOnly(dataDir: string): boolean {
  const file = join(dataDir, 'keyring.json')
  return existsSync(file) && isWrappedRing(readFileSync(file, 'utf8'))
}
