import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { create } from 'tar'
import { replaceDurably } from '../../../shared/node/files.ts'
import { databaseFile, databaseName } from '../../db/location.ts'
import { openData } from '../../db/open-data.ts'

/**
 * What a backup holds: the database, the keys that open what is encrypted in it, the certificate authority, and what
 * single sign-on may reach in the own network.
 */
export const archivedNames = [databaseName, 'keyring.json', 'tls', 'sso-trust.json', 'ca']

/**
 * Writes a consistent copy of everything, also while the appliance writes; not in the thread that answers requests. The
 * file is as secret as the data itself.
 */
export async function writeBackup({ dataDir }: { dataDir: string }, file: string) {
  const target = resolve(file)
  if (existsSync(target)) throw new Error(`${target} already exists`)
  if (!existsSync(dirname(target))) throw new Error(`There is no folder ${dirname(target)}`)
  const db = openData({ dataDir })
  const work = mkdtempSync(join(dirname(target), '.homeport-backup-'))
  try {
    await db.backup(databaseFile(work))
    for (const name of archivedNames)
      if (name !== databaseName && existsSync(join(dataDir, name)))
        cpSync(join(dataDir, name), join(work, name), { recursive: true })
    const partial = join(work, 'archive')
    await create(
      { file: partial, cwd: work, gzip: true, portable: true },
      archivedNames.filter((name) => existsSync(join(work, name))),
    )
    chmodSync(partial, 0o600)
    replaceDurably(partial, target)
    return { target, bytes: statSync(target).size }
  } finally {
    db.close()
    rmSync(work, { recursive: true, force: true })
  }
}
