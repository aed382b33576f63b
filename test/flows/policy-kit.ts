import { onTestFinished } from 'vitest'
import { BackupPolicies } from '../../server/features/backup-policies/index.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { createBackupProfile } from '../../shared/api/backup-profiles.ts'
import {
  addPolicyLink,
  assignPolicy,
  createPolicy,
  effectivePolicy,
  removePolicyLink,
  updatePolicyLink,
} from '../../shared/api/configuration-policies.ts'
import type { BodyOf, InputOf } from '../../shared/endpoint.ts'
import type { Answer } from '../helpers/test-app.ts'
import { fleet } from './group-kit.ts'

export const home = { backupMode: 'file', targets: { paths: ['/home'] } }
export const image = { backupMode: 'system_image' }

type Created<Body extends object> = Answer<Body>
const made = <Body extends object>({ status, body }: Created<Body>): Body => {
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** A company with three devices at two sites, and what makes policies for them. Each step is a second later. */
export async function policyScene(env: Record<string, string> = {}) {
  const scene = await fleet(env)
  const { app, admin, org } = scene
  onTestFinished(() => app[Symbol.asyncDispose]())
  const as = (token = admin.token) => ({ token })
  const later = () => app.clock.advance(1000)

  const create = (body: Partial<BodyOf<typeof createPolicy>> = {}, token?: string) => {
    later()
    return app.call(createPolicy, { body: { name: 'Policy', orgId: org.id, ...body } }, as(token))
  }
  const link = (id: string, inlineSettings: object | null, featurePolicyId?: string, token?: string) =>
    app.call(
      addPolicyLink,
      {
        params: { id },
        body: { featureType: 'backup', inlineSettings: inlineSettings && { ...inlineSettings }, featurePolicyId },
      },
      as(token),
    )
  const relink = (id: string, linkId: string, body: NonNullable<InputOf<typeof updatePolicyLink>['body']>) =>
    app.call(updatePolicyLink, { params: { id, linkId }, body }, as())
  const unlink = (id: string, linkId: string) => app.call(removePolicyLink, { params: { id, linkId } }, as())
  const assign = (id: string, body: InputOf<typeof assignPolicy>['body'], token?: string) => {
    later()
    return app.call(assignPolicy, { params: { id }, body }, as(token))
  }
  const effective = (deviceId: string, token?: string) => app.call(effectivePolicy, { params: { deviceId } }, as(token))
  const storage = async (body: Partial<BodyOf<typeof createBackupConfig>> = {}, orgId = org.id) =>
    made(
      await app.call(
        createBackupConfig,
        { query: { orgId }, body: { name: 'Store', provider: 'local', details: {}, ...body } },
        as(),
      ),
    )
  const createProfile = (body: Partial<InputOf<typeof createBackupProfile>['body']> = {}, token?: string) =>
    app.call(
      createBackupProfile,
      { body: { name: 'Profile', orgId: org.id, selections: { file: { enabled: true, paths: ['/home'] } }, ...body } },
      as(token),
    )

  return {
    ...scene,
    ...{ create, link, relink, unlink, assign, effective, storage, createProfile },
    backupPolicies: new BackupPolicies(app.db),
    /** A policy that says this of backups and is assigned to this. */
    policy: async (
      name: string,
      settings: object | null,
      target?: InputOf<typeof assignPolicy>['body'],
      more: Partial<BodyOf<typeof createPolicy>> & { featurePolicyId?: string } = {},
    ) => {
      const { featurePolicyId, ...body } = more
      const policy = made(await create({ name, ...body }))
      const { id: linkId } = made(await link(policy.id, settings, featurePolicyId))
      const assignmentId = target && made(await assign(policy.id, target)).id
      return { id: policy.id, linkId, assignmentId: assignmentId ?? '' }
    },
    profile: async (body?: Parameters<typeof createProfile>[0]) => made(await createProfile(body)),
  }
}
