import type { testBackupConfig } from '../../../shared/api/backup-configs.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { BackupConfigs } from './backup-configs.ts'
import type { StorageProbe } from './probe/storage-probe.ts'

interface ConfigTestParts {
  configs: BackupConfigs
  probe: StorageProbe
  limits: RateLimits
}

/** Tests of storage, for people who ask whether it can be used. */
export class ConfigTests {
  readonly #parts: ConfigTestParts

  constructor(parts: ConfigTestParts) {
    this.#parts = parts
  }

  async run(actor: UserActor, id: string, named: string | undefined): Promise<ReplyOf<typeof testBackupConfig>> {
    const { configs, probe, limits } = this.#parts
    const { row, details } = configs.openToTest(actor, id, named)
    limits.consume('backup_config_test', actor.userId)
    return configs.noteTest(actor, row, await probe.look(row.provider, details))
  }
}
