import { join } from 'node:path'
import type { CopyPlace } from '../backup-engine/index.ts'
import type { CopyRow, VaultRow } from './vault-copies.ts'

/** Of a vault in a folder that the appliance reaches. */
export const folderIn = ({ vault_path }: VaultRow, { folder }: CopyRow): string => join(vault_path, folder)

/** Where the appliance finds a copy. */
export const copyPlaceOf = (vault: VaultRow, copy: CopyRow): CopyPlace =>
  vault.config_id === null ? { folder: folderIn(vault, copy) } : { configId: vault.config_id, subPath: copy.sub_path }
