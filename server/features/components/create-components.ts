import { join } from 'node:path'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { Components } from './components.ts'
import { Downloads } from './downloads.ts'
import { Intake } from './intake.ts'
import { ProgramFolder } from './program-folder.ts'
import { ReleaseHost } from './release/release-host.ts'
import { resticReleaseKey } from './release/restic-release-key.ts'
import { componentRoutes } from './routes.ts'

export function createComponents(services: Services, releaseKey = resticReleaseKey): Module<Components> {
  const { config, db, audit, clock, log, tasks, destinations } = services
  const programs = new ProgramFolder(join(config.dataDir, 'components'), log)
  const host = new ReleaseHost(config.restic.releases, destinations)
  const intake = new Intake({ db, clock, audit, programs, releaseKey })
  const downloads = new Downloads({ db, audit, tasks, programs, intake, host })
  const { environment } = config.restic
  const components = new Components({ db, audit, programs, intake, downloads, host, environment })
  return {
    api: components,
    routes: (http) => componentRoutes(http, { db, components, programs, intake, downloads }),
    jobs: [
      {
        name: 'components.take-installed',
        description: 'Offers the restic that is installed on the appliance to devices',
        schedule: '20 25 * * * *',
        runsAtStart: true,
        run: (signal) => components.takeInstalled(signal),
      },
    ],
    start: () => void programs.removeLeftovers().catch((err) => log.error({ err }, 'Unfinished uploads are left over')),
  }
}
