import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Sites } from '../sites/index.ts'
import { DynamicGroups } from './dynamic-groups.ts'
import { GroupDevices } from './group-devices.ts'
import { DeviceGroups } from './groups.ts'
import { groupJobs } from './jobs.ts'
import { MembershipLog } from './membership-log.ts'
import { Memberships } from './memberships.ts'
import { groupRoutes } from './routes.ts'

export function createDeviceGroups(services: Services, { sites }: { sites: Sites }): Module<null> {
  const { db, clock, log, audit, live } = services
  const membershipLog = new MembershipLog(db, clock)
  const memberships = new Memberships(db, clock, live, membershipLog)
  const dynamic = new DynamicGroups(db, clock, log, memberships)
  const groups = {
    dynamic,
    membershipLog,
    groups: new DeviceGroups({ db, clock, audit, sites, memberships, dynamic }),
    devices: new GroupDevices(db, audit, memberships, dynamic),
  }
  return {
    api: null,
    routes: (http) => groupRoutes(http, groups),
    jobs: groupJobs(groups),
    start: () => dynamic.start(),
    stop: () => dynamic.stop(),
  }
}
