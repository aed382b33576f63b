import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Log } from '../../platform/log.ts'
import type { Sites } from '../sites/index.ts'
import { DynamicGroups } from './dynamic-groups.ts'
import { GroupDevices } from './group-devices.ts'
import { DeviceGroups } from './groups.ts'
import { MembershipLog } from './membership-log.ts'
import { Memberships } from './memberships.ts'

interface Parts {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  live: LiveEvents
  sites: Sites
}

export type GroupServices = ReturnType<typeof createGroups>

export function createGroups({ db, clock, log, audit, live, sites }: Parts) {
  const membershipLog = new MembershipLog(db, clock)
  const memberships = new Memberships(db, clock, live, membershipLog)
  const dynamic = new DynamicGroups(db, clock, log, memberships)
  return {
    dynamic,
    membershipLog,
    groups: new DeviceGroups({ db, clock, audit, sites, memberships, dynamic }),
    devices: new GroupDevices(db, audit, memberships, dynamic),
  }
}
