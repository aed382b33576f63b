import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { allEndpoints } from '../shared/api/index.ts'
import { createServices, type Environment } from './create-services.ts'
import type { Database } from './db/database.ts'
import { createAccess } from './features/access/index.ts'
import { closeUnauthorized, createAgents } from './features/agents/index.ts'
import { carriesKey, createApiKeys } from './features/api-keys/index.ts'
import { createApplianceBackup } from './features/appliance-backup/index.ts'
import { createAuditLog } from './features/audit-log/index.ts'
import { type Authentication, createAuthentication } from './features/authentication/index.ts'
import { createBackupAttention } from './features/backup-attention/index.ts'
import { createBackupDownloads } from './features/backup-downloads/index.ts'
import { ApplianceRestic, ResticEngines } from './features/backup-engine/index.ts'
import { BackupPlans, createBackupJobs } from './features/backup-jobs/index.ts'
import { createBackupKeys } from './features/backup-keys/index.ts'
import { createBackupMaintenance } from './features/backup-maintenance/index.ts'
import { createBackupObjectLock } from './features/backup-object-lock/index.ts'
import { createBackupPolicies } from './features/backup-policies/index.ts'
import { createBackupPreview } from './features/backup-preview/index.ts'
import { createBackupProfiles } from './features/backup-profiles/index.ts'
import { createBackupReadiness } from './features/backup-readiness/index.ts'
import { createBackupReports } from './features/backup-reports/index.ts'
import { createBackupRestores } from './features/backup-restores/index.ts'
import { createBackupRetention } from './features/backup-retention/index.ts'
import { createBackupSchedule } from './features/backup-schedule/index.ts'
import { createBackupSla } from './features/backup-sla/index.ts'
import { createBackupSnapshots } from './features/backup-snapshots/index.ts'
import { type BackupStorage, createBackupStorage } from './features/backup-storage/index.ts'
import { createBackupStore } from './features/backup-store/index.ts'
import { createBackupUsage } from './features/backup-usage/index.ts'
import { createBackupVaults } from './features/backup-vaults/index.ts'
import { createBackupVerification } from './features/backup-verification/index.ts'
import { createCommands } from './features/commands/index.ts'
import { createComponents } from './features/components/index.ts'
import { createConfigurationPolicies } from './features/configuration-policies/index.ts'
import { createContacts } from './features/contacts/index.ts'
import { Connections, DeviceWork } from './features/device-connections/index.ts'
import { createDeviceGroups } from './features/device-groups/index.ts'
import { createDevices } from './features/devices/index.ts'
import { createEnrollmentKeys, expireKeysOfSite } from './features/enrollment-keys/index.ts'
import { createHome } from './features/home/index.ts'
import { createInventory } from './features/inventory/index.ts'
import { createLifecycle, type LifecycleServices } from './features/lifecycle/index.ts'
import { createLoginBranding } from './features/login-branding/index.ts'
import { createMessaging, type MailQueue, messagingRoutes } from './features/messaging/index.ts'
import { createOrganizationMerge } from './features/organization-merge/index.ts'
import { createOrganizations } from './features/organizations/index.ts'
import { createPartners } from './features/partners/index.ts'
import { createPeople } from './features/people/index.ts'
import { createPsa } from './features/psa/index.ts'
import { createSearch } from './features/search/index.ts'
import { createSites } from './features/sites/index.ts'
import { createSnapshotIndex } from './features/snapshot-index/index.ts'
import { createSso, type Sso } from './features/sso/index.ts'
import { AgentFile, ConnectionInfo, createSystem } from './features/system/index.ts'
import { createUnusualChanges } from './features/unusual-changes/index.ts'
import { createHttpServer, portOf } from './http-server.ts'
import { ClientAddresses } from './platform/client-address.ts'
import { Http, type Identify } from './platform/http/http.ts'
import { answerPlainHttp } from './platform/http/plain-http.ts'
import type { Module } from './platform/module.ts'
import { PublicAddress } from './platform/public-address.ts'
import type { Services } from './platform/services.ts'

export interface AppOptions extends Environment {
  version: string
  /** Where the console and the agent's single file lie, as `npm run build` leaves them. */
  distDir: string
  /** For tests: signs releases instead of the real key; ASCII-armored. */
  releaseKey?: string
  /** Is given every new setup code, to show it to the administrator. */
  onSetupCode?: (code: string) => void
}

export interface App extends Pick<Services, 'jobs' | 'tasks'>, Pick<LifecycleServices, 'drainCompletion'> {
  fastify: FastifyInstance
  db: Database
  bootstrap: Authentication['bootstrap']
  connectionInfo: ConnectionInfo
  sso: Pick<Sso, 'callbackUrl' | 'examineTrust'>
  mailQueue: MailQueue
  telemetry: ReturnType<typeof createAgents>['api']['telemetry']
  locks: BackupStorage['locks']
  /** Starts jobs and deliveries; before, the app answers requests and does nothing by itself. */
  start(): void
  stop(): Promise<void>
}

/** Puts the features together, in order of dependency. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config, db, log, tls, version, distDir } = options
  const fastify = await createHttpServer(log, tls)
  const agentFile = new AgentFile(join(distDir, 'agent', 'homeport-agent.mjs'))
  const publicAddress = new PublicAddress(db, config.publicUrl)
  const port = () => portOf(fastify) ?? config.port
  const connectionInfo = new ConnectionInfo(db, config, publicAddress, tls, agentFile, version, port)
  const addresses = () => connectionInfo.addresses().map(({ url }) => url)
  if (tls) answerPlainHttp(fastify, addresses)

  const services = createServices(options, publicAddress, addresses)
  const { clock, jobs, tasks, live, destinations } = services
  const modules: Module[] = []
  const use = <Api>(module: Module<Api>): Api => {
    modules.push(module)
    return module.api
  }
  use({ api: null, start: () => tasks.start(), stop: () => tasks.stop().then(() => destinations.close()) })

  const messaging = use(createMessaging(services))
  const { mailer } = messaging
  const access = use(createAccess(services, messaging))
  const { lockOutCheck, securityPreviews } = access
  const { assertNobodyLockedOut } = lockOutCheck
  const authentication = use(createAuthentication(services, { access, messaging, onSetupCode: options.onSetupCode }))
  use({ api: null, routes: (http) => messagingRoutes(http, messaging, authentication.assertOwner) })
  const { findPeople } = use(createPeople(services, { access, authentication, messaging }))
  const sso = use(createSso(services, { access, authentication }))
  const branding = use(createLoginBranding(services, sso))
  const keyCallers = use(createApiKeys(services, access))
  use(createAuditLog(services))

  const { projections, findContacts } = use(createContacts(services))
  const { sites, findSites } = use(
    createSites(services, { projections, expireKeys: (id) => expireKeysOfSite(db, clock, id) }),
  )
  const connections = new Connections()
  const work = new DeviceWork()
  const { inventory, software } = use(createInventory(services))
  const { devices, list, presence, signals, findDevices } = use(
    createDevices(services, { connections, sites, inventory, software }),
  )
  const { delivery, results, removals } = use(createCommands(services, { connections, work, devices, signals }))
  const agents = use(createAgents(services, { connections, work, inventory, presence, delivery, results }))
  const store = use(createBackupStore(services))
  const index = use(createSnapshotIndex(services))
  const components = use(createComponents(services, options.releaseKey))
  const findRestic = async () => (await components.find('restic'))?.file ?? null
  const storage = use(createBackupStorage(services, { store, findRestic }))
  const engines = new ResticEngines({ ...storage, store })
  const restic = new ApplianceRestic({ ...services, ...storage, store, findRestic, folder: storage.resticFolder })
  const configurationPolicies = use(createConfigurationPolicies(services, { signals }))
  const { backupPolicies } = use(createBackupPolicies(services, { configurationPolicies }))
  const { snapshots, files, listings } = use(
    createBackupSnapshots(services, { ...storage, devices, signals, index, backupPolicies, restic }),
  )
  use(createBackupProfiles(services))
  const plans = new BackupPlans(backupPolicies)
  const { runs, ending, made } = use(
    createBackupJobs(services, {
      ...storage,
      connections,
      work,
      devices,
      signals,
      engines,
      snapshots,
      listings,
      index,
      plans,
    }),
  )
  use(createBackupRetention(services, { backupPolicies }))
  const { attention } = use(createBackupAttention(services, { mailer, backupPolicies, ending, signals }))
  use(createUnusualChanges(services, { made, attention, index, listings, restic }))
  use(createBackupSchedule(services, { backupPolicies, runs, attention }))
  use(createBackupReports(services, { devices, backupPolicies }))
  const { forecasts } = use(createBackupUsage(services, { backupPolicies, store }))
  use(createBackupSla(services, { attention, backupPolicies, mailer, signals }))
  use(createBackupPreview(services, { connections, work, devices }))
  const repositoryWork = use(
    createBackupMaintenance(services, {
      ...{ ...storage, store, index, snapshots, plans },
      ...{ restic, findRestic, engines, connections, work },
    }),
  )
  use(createBackupObjectLock(services, storage))
  use(createBackupKeys(services, { ...storage, ...repositoryWork, restic, findRestic, mailer, backupPolicies }))
  const { copies, repaired } = use(
    createBackupVaults(services, {
      ...{ ...storage, ...repositoryWork, devices, signals, made, attention },
      ...{ restic, store, connections, work, snapshots, listings, index },
    }),
  )
  const { checked } = use(
    createBackupVerification(services, {
      ...{ ...storage, ...repositoryWork, connections, work, devices, signals },
      ...{ engines, restic, findRestic, attention, made, repaired, index, listings },
    }),
  )
  use(createBackupReadiness(services, { made, checked, signals }))
  use(
    createBackupRestores(services, {
      ...{ ...storage, connections, work, devices, signals },
      ...{ engines, inventory, index, copies },
    }),
  )
  use(createEnrollmentKeys(services, { connections, inventory, sites }))
  use(createDeviceGroups(services, { sites }))
  use(createPsa(services))
  use(createHome(services, { devices, list, forecasts }))

  const closeSockets = () => closeUnauthorized(connections)
  const lifecycle = use(createLifecycle(services, { removals, signals, mailer, closeSockets }))
  use(createOrganizationMerge(services, { ...lifecycle, connections }))
  const { findOrganizations } = use(
    createOrganizations(services, { life: lifecycle.organizationLife, projections, assertNobodyLockedOut }),
  )
  use(createSearch(services, { findDevices, findOrganizations, findSites, findPeople, findContacts }))
  const { preview } = securityPreviews
  use(createPartners(services, { assertNobodyLockedOut, preview, life: lifecycle.partnerLife }))
  const { identities, assertOwner, bootstrap } = authentication
  const logoOrigin = () => branding.logoOrigin()
  use(
    createSystem(services, {
      version,
      distDir,
      connections,
      connectionInfo,
      agentFile,
      identities,
      assertOwner,
      logoOrigin,
    }),
  )
  const closeHttp = async () => {
    live.closeAll()
    for (const [, connection] of connections) connection.close(1001, 'the appliance is stopping')
    await fastify.close()
  }
  use({ api: null, start: () => jobs.start(), stop: () => jobs.stop().then(closeHttp) })
  // Stopped before the connections close: a download would keep its own open.
  use(createApplianceBackup(services, authentication))
  use(createBackupDownloads(services, { ...storage, identities, snapshots, files, restic }))

  const identifyUser: Identify['user'] = (request, reply, access) =>
    carriesKey(request) ? keyCallers.identify(request, reply) : identities.identify(request, reply, access)
  const identify: Identify = { user: identifyUser, device: agents.identify }
  const http = new Http(fastify, identify, services.limits, new ClientAddresses(config.proxies), config)
  for (const { routes } of modules) await routes?.(http)
  http.assertComplete(allEndpoints)
  jobs.add(...modules.flatMap((module) => module.jobs ?? []))

  return {
    ...{ fastify, db, bootstrap, connectionInfo, sso, jobs, tasks },
    ...{ mailQueue: messaging.queue, drainCompletion: lifecycle.drainCompletion },
    telemetry: agents.telemetry,
    locks: storage.locks,
    start: () => {
      for (const { start } of modules) start?.()
    },
    stop: async () => {
      for (const { stop } of modules.toReversed()) await stop?.()
    },
  }
}
