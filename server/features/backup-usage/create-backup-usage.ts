import * as contract from '../../../shared/api/backup-usage.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { BackupStore } from '../backup-store/index.ts'
import { DeviceUsages } from './device-usage.ts'
import { Forecasts } from './forecasts.ts'
import { KeptDays } from './kept-days.ts'
import { RetentionSavings } from './retention-savings.ts'

interface UsageDependencies {
  backupPolicies: BackupPolicies
  store: BackupStore
}

export interface BackupUsage {
  forecasts: Pick<Forecasts, 'diskFullSoon'>
}

/** How backups grow, how long there is room, and what keeping less would save. */
export function createBackupUsage(
  services: Services,
  { backupPolicies, store }: UsageDependencies,
): Module<BackupUsage> {
  const forecasts = new Forecasts(services)
  const devices = new DeviceUsages(services)
  const savings = new RetentionSavings({ ...services, backupPolicies })
  const days = new KeptDays({ ...services, store })
  return {
    api: { forecasts },
    routes: (http) => {
      const search = searches()
      http.user(contract.readUsageForecast, async ({ actor, query }) => ({
        data: await forecasts.read(actor, query.orgId, store),
      }))
      http.user(contract.listDeviceUsage, ({ actor, query, reply }) =>
        search.steps(actor, reply, devices.list(actor, query)),
      )
      http.user(contract.readRetentionSavings, async ({ actor, query, reply }) => ({
        data: await search.steps(actor, reply, savings.read(actor, query.orgId)),
      }))
    },
    jobs: [
      {
        name: 'backup.growth',
        description: 'Keeps what the backups of each device take, and how full the disk is, for forecasts',
        schedule: '45 9 * * * *',
        runsAtStart: true,
        run: (signal) => days.keep(signal),
      },
    ],
  }
}
