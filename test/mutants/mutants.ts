/** One defect of one line: in `file`, the only place that says `text` says `replacement` instead, and one of `tests` must fail. */
export interface Mutant {
  file: string
  text: string
  replacement: string
  tests: string[]
}

const mutant = (file: string, text: string, replacement: string, ...tests: string[]): Mutant => ({
  file,
  text,
  replacement,
  tests,
})

const access = 'server/features/access'
const authentication = 'server/features/authentication'
const isolation = ['test/tenancy/reads.test.ts', 'test/contract/foreign-tenant.test.ts']
const sites = ['test/flows/sites.test.ts', 'test/tenancy/writes.test.ts']
const objectLock = ['test/flows/backup-object-lock.test.ts']

export const mutants: Mutant[] = [
  // Groups and commands
  mutant(
    'server/features/device-groups/group-access.ts',
    'if (!group || !reachesOrg(actor, group.org_id) || ',
    'if (!group || ',
    ...isolation,
    'test/flows/device-groups.test.ts',
  ),
  mutant(
    'server/features/device-groups/group-access.ts',
    "if (invalidDevices.length > 0) throw new AppError('group_devices_invalid'",
    "if (invalidDevices.length > 99) throw new AppError('group_devices_invalid'",
    'test/flows/device-groups.test.ts',
  ),
  mutant(
    'server/features/device-groups/group-devices.ts',
    "if (type === 'dynamic') throw new AppError('group_members_by_rule')",
    '',
    'test/flows/device-groups.test.ts',
    'test/flows/dynamic-groups.test.ts',
  ),
  mutant(
    'server/features/commands/commands.ts',
    "if (device.status === 'decommissioned') throw",
    "if (device.status === 'offline') throw",
    'test/protocol/commands.test.ts',
  ),
  mutant(
    'server/features/commands/commands.ts',
    "if (surfaceOfOrganization(db, device.org_id) === 'full') return",
    'if (db !== null) return',
    'test/protocol/tenant-states.test.ts',
    'test/protocol/commands.test.ts',
  ),
  mutant(
    'server/features/commands/commands.ts',
    "if (before.status !== 'pending' && before.status !== 'sent') throw",
    "if (before.status === 'cancelled') throw",
    'test/protocol/commands.test.ts',
  ),

  // Tenancy and authorization
  mutant(
    'server/db/tenancy.ts',
    "if (of === 'only') return",
    "if (of === 'only' && ids.size > 99) return",
    ...isolation,
  ),
  mutant('server/db/tenancy.ts', 'return ids.size === 0 ? [] :', 'return ids.size < 99 ? [] :', ...isolation),
  mutant('server/db/tenancy.ts', 'if (sites === null) return []', 'if (sites !== undefined) return []', ...isolation),
  mutant('server/db/tenancy.ts', 'if (groups === null) return []', 'if (groups !== undefined) return []', ...isolation),
  mutant('server/db/tenancy.ts', 'return orgs.within ? [', 'return orgs.within === null ? [', ...isolation),
  mutant(
    'server/features/sites/sites.ts',
    "if (actor.sites !== null) throw new AppError('site_access_denied')",
    '',
    ...sites,
  ),
  mutant(
    'server/features/sites/sites.ts',
    "if (!reachesSite(actor, site.id)) throw new AppError('site_access_denied')",
    '',
    ...sites,
  ),
  mutant('server/features/sites/sites.ts', '!reachesOrg(actor, site.org_id) || ', '', ...sites),
  mutant('server/features/sites/sites.ts', 'removeSiteFromMemberships(this.#db, this.#clock, site)', '', ...sites),
  mutant(
    'server/features/sites/sites.ts',
    'return site?.org_id === orgId ? site',
    'return site ? site',
    'test/protocol/enrollment-keys.test.ts',
    'test/flows/psa-connections.test.ts',
    'test/flows/device-groups.test.ts',
  ),
  mutant(
    'server/features/organization-access/writable.ts',
    'if (frozen) throw',
    'if (frozen === null) throw',
    'test/contract/frozen.test.ts',
  ),
  mutant(
    'server/features/organization-access/writable.ts',
    'if (!isOperable(org.status)) throw',
    'if (org.status === null) throw',
    'test/contract/frozen.test.ts',
  ),
  mutant(
    `${access}/memberships/confinement.ts`,
    'if (!isWithinOwnReach(actor, confinement)) throw',
    'if (actor === null) throw',
    'test/flows/users.test.ts',
  ),
  mutant(
    `${access}/roles/grant-rules.ts`,
    "if (missing) throw new AppError('permission_not_held'",
    "if (missing === null) throw new AppError('permission_not_held'",
    'test/flows/role-ceilings.test.ts',
  ),
  mutant(
    `${access}/roles/grant-rules.ts`,
    "if (required.some(isWildcard)) throw new AppError('wildcard_in_custom_role')",
    '',
    'test/flows/roles.test.ts',
    'test/flows/role-ceilings.test.ts',
  ),
  mutant(
    'server/features/contacts/contacts.ts',
    "if (contact.site_id !== null && !reachesSite(actor, contact.site_id)) throw new AppError('contact_not_found')",
    '',
    'test/flows/contacts.test.ts',
    ...isolation,
  ),
  mutant(
    'server/features/psa/psa-connections.ts',
    "if (isConfined(actor)) throw new AppError('psa_access_denied')",
    '',
    'test/flows/group-confinement.test.ts',
  ),
  mutant(
    'server/features/login-branding/login-branding.ts',
    "if (actor.orgAccess !== 'all') throw new AppError('partner_policy_access_required')",
    '',
    'test/flows/login-branding.test.ts',
  ),
  // Audit
  mutant(
    'server/features/audit-log/audit-log.ts',
    '!event || !reachesEvent(actor, event)',
    '!event',
    'test/flows/audit-log.test.ts',
    ...isolation,
  ),
  mutant(
    'server/features/sites/sites.ts',
    "this.#record(actor, 'site.delete',",
    "void (actor, 'site.delete',",
    'test/contract/audit.test.ts',
  ),
  // Rate limits
  mutant(
    'server/platform/rate-limit.ts',
    'if (wait > 0) throw',
    'if (wait > 1e12) throw',
    'server/platform/rate-limit.test.ts',
  ),
  mutant('server/platform/rate-limit.ts', 'Math.min(at, now)', 'at', 'server/platform/rate-limit.test.ts'),
  mutant(
    'server/platform/rate-limit.ts',
    'return limit.isDurable ? this.#clock.now() : this.#clock.monotonic()',
    'return this.#clock.now()',
    'server/platform/rate-limit.test.ts',
  ),
  mutant(
    'server/platform/rate-limit.ts',
    'if (limit.isFixed) return',
    'if (limit.max < 0) return',
    'server/platform/rate-limit.test.ts',
  ),
  // Sessions and factors
  mutant(`${authentication}/sessions/token-pairs.ts`, 'aep: user.auth_epoch,', 'aep: 1,', 'test/flows/tokens.test.ts'),
  mutant(`${authentication}/sessions/token-pairs.ts`, 'mep: user.mfa_epoch,', 'mep: 1,', 'test/flows/tokens.test.ts'),
  mutant(
    `${authentication}/factors/recovery-codes.ts`,
    "if (!codes.includes(hash)) throw new AppError('mfa_code_invalid')",
    '',
    'test/flows/second-factor.test.ts',
  ),
  mutant(
    `${authentication}/factors/totp-codes.ts`,
    "if (inserted === 0) throw new AppError('mfa_code_invalid')",
    '',
    'test/flows/second-factor.test.ts',
  ),
  mutant(
    `${authentication}/factors/own-factors.ts`,
    "if (this.#dependencies.policy.factorRulesOf(user, actor).requiredBy) throw new AppError('mfa_required_by_policy')",
    '',
    'test/flows/factor-removal.test.ts',
    'test/flows/second-factor.test.ts',
  ),
  mutant(
    `${authentication}/passkeys/passkeys.ts`,
    "if (isPasskeyNeeded) throw new AppError('last_factor')",
    '',
    'test/flows/passkey-deletion.test.ts',
  ),
  mutant(
    `${authentication}/passkeys/passkeys.ts`,
    "if (!actor.mfa) throw new AppError('MFA_REQUIRED')",
    '',
    'test/flows/passkeys.test.ts',
    'test/flows/passkey-deletion.test.ts',
  ),
  mutant(
    `${authentication}/passkeys/assertions.ts`,
    'if (used === 0) throw',
    'if (used === -1) throw',
    'test/flows/passkey-alone.test.ts',
  ),
  mutant(
    `${authentication}/profile/profile-changes.ts`,
    "if (actor.mfaRequired) throw new AppError('mfa_enrollment_first', { enrollUrl })",
    '',
    'test/flows/own-profile.test.ts',
  ),
  mutant(
    `${authentication}/invitation-links/invitation-links.ts`,
    "!link || !user || user.status === 'disabled'",
    '!link || !user',
    'test/flows/invites.test.ts',
    'test/flows/invited-accounts.test.ts',
  ),
  // Merge
  mutant(
    'server/features/organization-merge/merges.ts',
    'confirmName !== loser.name) throw',
    "confirmName === '') throw",
    'test/flows/merge-refusals.test.ts',
  ),
  mutant(
    'server/features/organization-merge/merges.ts',
    '!survivor || !isGranted(db, actor, survivor)',
    '!survivor',
    'test/flows/merge-refusals.test.ts',
  ),
  mutant(
    'server/features/organization-merge/merges.ts',
    'if (objection) throw new AppError(objection)',
    '',
    'test/flows/merge-refusals.test.ts',
  ),
  // Enrollment, agents and heartbeats
  mutant(
    'server/features/enrollment-keys/enroll.ts',
    "if (!equalSecrets(sha256(given), expected)) throw new AppError('enrollment_secret_invalid')",
    '',
    'test/protocol/enroll.test.ts',
  ),
  mutant(
    'server/features/enrollment-keys/keys.ts',
    "if (Date.parse(wanted.expiresAt) <= clock.now()) throw new AppError('expiry_past')",
    '',
    'test/protocol/enrollment-keys.test.ts',
  ),
  mutant(
    'server/features/agents/directory.ts',
    "if (device.status === 'decommissioned') throw new AppError('device_decommissioned')",
    '',
    'test/protocol/agent-auth.test.ts',
    'test/protocol/tenant-states.test.ts',
  ),
  mutant(
    'server/features/agents/directory.ts',
    ' || device.isSuspended',
    '',
    'test/protocol/agent-auth.test.ts',
    'test/protocol/tenant-states.test.ts',
    'test/flows/offboarding.test.ts',
  ),
  mutant(
    'server/features/agents/directory.ts',
    "if (!access.roles.includes(role)) throw new AppError('agent_role_not_allowed')",
    '',
    'test/protocol/agent-auth.test.ts',
  ),
  mutant(
    'server/features/agents/heartbeats.ts',
    "if (actor.role === 'watchdog') this.#watchdogBeat(device)\n    else this",
    'this',
    'test/protocol/heartbeat.test.ts',
  ),
  mutant(
    'server/features/agents/socket.ts',
    "identity.role !== 'agent' || !mayHoldSocket(device)",
    "identity.role !== 'agent'",
    'test/protocol/socket.test.ts',
    'test/protocol/tenant-states.test.ts',
  ),
  // API keys
  mutant(
    'server/features/api-keys/api-keys.ts',
    "if (before.status === 'revoked') throw new AppError('api_key_revoked')",
    '',
    'test/flows/api-keys.test.ts',
  ),
  mutant(
    'server/features/api-keys/ceiling.ts',
    "if (rank[scope] > rank[actor.scope]) throw new AppError('api_key_beyond_caller')",
    '',
    'test/flows/api-keys.test.ts',
    'test/flows/api-key-tenants.test.ts',
  ),
  // Contacts import and mail
  mutant(
    'server/features/contacts/import/contact-import.ts',
    "if (wanted && wanted !== actor.partnerId) throw new AppError('partner_access_denied')",
    '',
    'test/flows/contact-import.test.ts',
  ),
  mutant(
    'server/features/messaging/mail-settings.ts',
    "if (environment) throw new AppError('set_by_environment')",
    '',
    'test/flows/messaging.test.ts',
  ),
  // The console
  mutant('renderer/lib/safe-next.ts', 'url.origin !== base || ', '', 'renderer/lib/safe-next.test.ts'),
  mutant('renderer/lib/safe-next.ts', '(\\/|login)', '(\\/)', 'renderer/lib/safe-next.test.ts'),
  mutant(
    'renderer/lib/number-range.ts',
    'if (number < min)',
    'if (number <= min)',
    'renderer/lib/number-range.test.ts',
  ),
  mutant(
    'renderer/lib/number-range.ts',
    'if (number > max)',
    'if (number > max + 1)',
    'renderer/lib/number-range.test.ts',
  ),
  mutant(
    'renderer/lib/changed-values.ts',
    'Object.keys(within).length > 0',
    'Object.keys(within).length >= 0',
    'renderer/lib/changed-values.test.ts',
  ),
  mutant(
    'renderer/lib/step-up.ts',
    "status === 400 && code === 'invalid_credentials'",
    "code === 'invalid_credentials'",
    'renderer/lib/step-up.test.ts',
  ),
  mutant(
    'renderer/lib/step-up.ts',
    "prompted.has('factor') ? null : {",
    'false ? null : {',
    'renderer/lib/step-up.test.ts',
  ),
  mutant('renderer/lib/word-search.ts', 'words.every(', 'words.some(', 'renderer/lib/word-search.test.ts'),
  mutant(
    'renderer/lib/sso-login-url.ts',
    'if (!ownLoginPath.test(loginUrl)) return null',
    '',
    'renderer/lib/sso-login-url.test.ts',
  ),
  mutant('renderer/lib/live-stream.ts', 'if (stopping.signal.aborted) return', '', 'renderer/lib/live-stream.test.ts'),
  mutant(
    'renderer/lib/format.ts',
    'if (Math.round(ms) < 1000) return',
    'if (Math.round(ms) < 2000) return',
    'renderer/lib/format.test.ts',
  ),
  mutant(
    'renderer/lib/format.ts',
    'Math.floor(Math.log2(value) / 10)',
    'Math.round(Math.log2(value) / 10)',
    'renderer/lib/format.test.ts',
  ),
  mutant(
    'server/features/backup-store/credentials.ts',
    ".where('credential.expires_at', '>', isoNow(this.#clock))",
    '',
    'test/flows/backup-store.test.ts',
  ),
  mutant(
    'server/features/backup-store/routes.ts',
    'if (caller?.repositoryId !== repository) {',
    'if (!caller) {',
    'test/flows/backup-store.test.ts',
  ),
  mutant(
    'server/features/backup-store/store-worker.ts',
    "if (name !== null && hash.digest('hex') !== name) throw new Refused('wrong_hash')",
    '',
    'test/flows/backup-store.test.ts',
  ),
  mutant(
    'server/features/backup-store/store-worker.ts',
    "if (code === 'EEXIST') return false",
    "if (code === 'EEXIST') return true",
    'test/flows/backup-store.test.ts',
  ),
  mutant(
    'server/features/backup-storage/repository-locks.ts',
    'return !this.#workers.some((isWorkedIn) => isWorkedIn(repository))',
    'return true',
    'test/flows/repository-locks.test.ts',
  ),
  mutant(
    'server/features/backup-storage/repository-locks.ts',
    '|| this.#readers.has(repository.id)',
    '',
    'test/flows/repository-locks.test.ts',
  ),
  mutant(
    'server/features/backup-storage/repository-locks.ts',
    'found.lock_until > isoNow(clock)',
    'false',
    'test/flows/repository-locks.test.ts',
  ),
  mutant(
    'server/features/backup-retention/backup-retention.ts',
    'AND snapshot.legal_hold = 0',
    '',
    'test/flows/backup-retention.test.ts',
  ),
  // Locks of storage
  mutant(
    'server/features/backup-object-lock/repository-locking.ts',
    '    await this.#assertSeen(wish, sample.names)',
    '',
    ...objectLock,
  ),
  mutant(
    'server/features/backup-object-lock/repository-locking.ts',
    '    await this.#assertLasting(wish, target)',
    '',
    ...objectLock,
  ),
  mutant(
    'server/features/backup-object-lock/object-locks.ts',
    'if (error instanceof NotLocked && error.isBroken)',
    'if (false)',
    ...objectLock,
  ),
  mutant(
    'server/features/backup-object-lock/object-locks.ts',
    ".where('immutable_until', '=', immutable_until)",
    '',
    ...objectLock,
  ),
  mutant(
    'server/features/backup-object-lock/object-locks.ts',
    'if (db.first(former)?.place === place) return',
    'if (db.first(former)) return',
    ...objectLock,
  ),
  mutant(
    'server/features/backup-retention/backup-retention.ts',
    'snapshot.immutable_until <= @now',
    '1',
    'test/flows/backup-retention.test.ts',
  ),
  mutant(
    'server/features/backup-retention/backup-retention.ts',
    'AND (newer.timestamp, newer.id) > (snapshot.timestamp, snapshot.id)',
    '',
    'test/flows/backup-retention.test.ts',
  ),
  mutant(
    'server/features/backup-retention/backup-retention.ts',
    '      if (this.#isFrozen(org)) return 0\n',
    '',
    'test/flows/backup-retention.test.ts',
  ),
  mutant(
    'server/features/backup-jobs/results.ts',
    '      if (row?.device_id !== actor.deviceId) return false\n',
    '      if (!row) return false\n',
    'test/flows/backup-jobs.test.ts',
  ),
  mutant(
    'server/features/backup-jobs/results.ts',
    'if (result === null || !this.#isAwaited(row)) return true',
    'if (result === null) return true',
    'test/flows/backup-jobs.test.ts',
  ),
  mutant(
    'server/features/backup-jobs/results.ts',
    "if (row?.device_id !== actor.deviceId || row.status !== 'running') return",
    'if (!row) return',
    'test/flows/backup-jobs.test.ts',
  ),
  mutant(
    'server/features/backup-jobs/results.ts',
    "if (job.status !== 'failed' && job.status !== 'cancelled') continue",
    '',
    'test/flows/backup-jobs.test.ts',
  ),
  mutant(
    'server/features/backup-restores/sources.ts',
    "if (from !== to && !actor.permissions.has('backup:cross_site_restore')) throw",
    'if (false) throw',
    'test/flows/backup-restores.test.ts',
  ),
  mutant(
    'server/features/backup-schedule/backup-schedule.ts',
    "    if (db.first(same.where('schedule_occurrence_key', '=', key))) return false\n",
    '',
    'test/flows/backup-schedule.test.ts',
  ),
  mutant(
    'server/features/backup-schedule/backup-schedule.ts',
    "device.status === 'quarantined'",
    'false',
    'test/flows/backup-schedule.test.ts',
  ),
  mutant(
    'server/features/backup-downloads/downloads.ts',
    'if (!download || !equalSecrets(download.secret, secret))',
    'if (!download)',
    'test/flows/backup-downloads.test.ts',
  ),
  mutant(
    'server/features/backup-downloads/downloads.ts',
    '!download.content.errored && this.#mayStill(download, origin)',
    '!download.content.errored',
    'test/flows/backup-downloads.test.ts',
  ),
  mutant(
    'agent/restic/put-in-place.ts',
    "  if (there && existing === 'keep') {",
    '  if (false) {',
    'agent/restic/restore.test.ts',
  ),
  mutant('agent/restic/patterns.ts', ".replace(/^!/, '[!]')", '', 'agent/restic/backup.test.ts'),
  mutant('agent/restic/patterns.ts', ".replace(/[[*?]/g, '[$&]')", '', 'agent/restic/restore.test.ts'),
]
