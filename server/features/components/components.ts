import type { readComponent } from '../../../shared/api/components.ts'
import { type ComponentName, isNewer } from '../../../shared/components.ts'
import type { ComponentOffer } from '../../../shared/device/components.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import {
  findInstalledRestic,
  oldestRestic,
  type ProgramEnvironment,
  type ResticProgram,
} from '../../../shared/node/restic.ts'
import type { Database } from '../../db/database.ts'
import { systemActor, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import { devicesByPlatform } from './coverage.ts'
import type { Downloads } from './downloads.ts'
import type { Intake } from './intake.ts'
import { ownPlatform } from './own-platform.ts'
import type { Program, ProgramFolder } from './program-folder.ts'
import type { ProgramKey } from './program-key.ts'
import type { ReleaseHost } from './release/release-host.ts'

interface Dependencies {
  db: Database
  audit: Audit
  programs: ProgramFolder
  intake: Intake
  downloads: Downloads
  host: ReleaseHost
  environment: ProgramEnvironment
}

/** Programs that agents need and the appliance delivers. */
export class Components {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  async describe(actor: UserActor, component: ComponentName): Promise<ReplyOf<typeof readComponent>> {
    const { db, programs, downloads, host } = this.#dependencies
    const installed = await this.#installed()
    const found = await this.find(component, installed)
    return {
      oldestVersion: oldestRestic,
      onAppliance: found && { version: found.version, isInstalled: found.file === installed?.file },
      releases: host.address,
      programs: programs.all(component).map(({ component: _, file: __, ...program }) => ({
        ...program,
        isOffered: programs.newest(component, program.platform)?.version === program.version,
        isInstalled: program.platform === ownPlatform && program.version === installed?.version,
      })),
      devices: devicesByPlatform(db, actor),
      download: downloads.last(component),
    }
  }

  /** The program that the appliance itself uses: the one that is installed, otherwise the newest that it delivers. */
  async find(component: ComponentName, installed?: ResticProgram | null): Promise<ResticProgram | null> {
    const found = installed === undefined ? await this.#installed() : installed
    const delivered = this.#dependencies.programs.newest(component, ownPlatform)
    return found ?? (delivered ? { file: delivered.file, version: delivered.version } : null)
  }

  offer(component: ComponentName, platform: string): ComponentOffer | null {
    const newest = this.#dependencies.programs.newest(component, platform)
    return newest ? { version: newest.version, sha256: newest.sha256, bytes: newest.bytes } : null
  }

  /** @throws AppError `component_not_found` */
  program(key: ProgramKey): Program {
    const program = this.#dependencies.programs.find(key)
    if (!program) throw new AppError('component_not_found')
    return program
  }

  async remove(actor: UserActor, key: ProgramKey): Promise<void> {
    const { db, audit, programs } = this.#dependencies
    const { version, platform } = this.program(key)
    if (platform === ownPlatform && version === (await this.#installed())?.version)
      throw new AppError('component_installed')
    db.transaction(() => {
      const { sha256, source, signedBy } = this.program(key)
      audit(actor, {
        action: 'platform_admin.components.remove',
        resourceType: 'component',
        resourceName: key.component,
        details: { version, platform, sha256, source, signedBy },
      })
      programs.remove(key)
    })
  }

  /** What is installed on the appliance is delivered to devices of its platform, unless there is something as new. */
  async takeInstalled(signal: AbortSignal): Promise<void> {
    const { programs, intake } = this.#dependencies
    const installed = await this.#installed()
    const newest = programs.newest('restic', ownPlatform)
    if (!installed || (newest && !isNewer(installed.version, newest.version))) return
    const actor = systemActor('components.take-installed')
    await intake.addInstalled(installed, ownPlatform, { actor, action: 'platform_admin.components.add' }, signal)
  }

  #installed(): Promise<ResticProgram | null> {
    return findInstalledRestic(this.#dependencies.environment)
  }
}
