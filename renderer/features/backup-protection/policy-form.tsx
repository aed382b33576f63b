import { Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import type { BackupProfile } from '../../../shared/api/backup-profiles.ts'
import type { ConfigurationPolicy } from '../../../shared/api/configuration-policies.ts'
import { savePolicySettings } from '../../data/backup-policies.ts'
import { profilesQuery } from '../../data/backup-profiles.ts'
import { storagesQuery } from '../../data/backup-storages.ts'
import { KeepFields } from '../../domain/backup-policies/keep-fields.tsx'
import { LockFields } from '../../domain/backup-policies/lock-fields.tsx'
import { NotifyField } from '../../domain/backup-policies/notify-field.tsx'
import {
  backupLinkOf,
  keepErrors,
  lockErrors,
  notifyErrors,
  type PlanDraft,
  planOf,
  selectionOf,
  settingsOf,
  whatErrors,
  whenErrors,
} from '../../domain/backup-policies/plan-draft.ts'
import { TryOnDevice } from '../../domain/backup-policies/try-on-device.tsx'
import { WhatFields } from '../../domain/backup-policies/what-fields.tsx'
import { WhenFields } from '../../domain/backup-policies/when-fields.tsx'
import { WhereField } from '../../domain/backup-policies/where-field.tsx'
import { canLockObjects } from '../../domain/backup-storage/object-lock.ts'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { focusFirstField } from '../../ui/dialog-focus.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx'

interface Props {
  orgId: string
  policy: ConfigurationPolicy
  onDone: () => void
}

const bandwidthRange = { min: 1, max: 10_000, isOptional: true } as const

/** All that a policy says about backups. */
export function PolicyForm({ orgId, policy, onDone }: Props) {
  const link = backupLinkOf(policy)
  const [name, setName] = useState(policy.name)
  const [first] = useState<PlanDraft>(() => planOf(link))
  const [draft, setDraft] = useState(first)
  const [isTouched, setTouched] = useState(false)
  const [isTried, setTried] = useState(false)
  useUnsavedChanges(isTouched)
  const maySeeStorage = can(useMe(), 'backup:read') && policy.orgId !== null
  const storages = useQuery({ ...storagesQuery(orgId), enabled: maySeeStorage }).data
  const profiles = useQuery({ ...profilesQuery(orgId), enabled: can(useMe(), 'backup:read') }).data ?? []
  const save = useMutation({
    ...savePolicySettings(policy),
    onSuccess: () => {
      onDone()
      notifyDone(`${name} was saved`)
    },
  })
  const errors = {
    ...whatErrors(draft),
    ...whenErrors(draft),
    ...keepErrors(draft),
    ...lockErrors(draft),
    ...notifyErrors(draft),
  }
  const change = (part: Partial<PlanDraft>) => {
    setDraft((old) => ({ ...old, ...part }))
    setTouched(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isRight = Object.keys(errors).length === 0 && name.trim() !== ''
    setTried(!isRight)
    if (isRight)
      save.mutate({
        name: name.trim(),
        inlineSettings: settingsOf(draft, link?.inlineSettings ?? undefined),
        featurePolicyId: profileIn(draft, first),
      })
  }
  const fields = { draft, errors: isTried ? errors : {}, onChange: change }
  return (
    <form ref={focusFirstField} onSubmit={submit} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput
          label="Name"
          maxLength={255}
          error={isTried && name.trim() === '' && 'Enter a name'}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setTouched(true)
          }}
        />
        {draft.what === 'other' ? (
          <Text size="sm" c="dimmed">
            What is protected is set through the API, and stays as it is.
          </Text>
        ) : (
          <>
            <WhatFields {...fields} profiles={profiles.filter((one) => mayUse(policy, one, draft.profileId))} />
            <TryOnDevice
              orgId={orgId}
              selection={selectionOf(draft)}
              isRight={Object.keys(whatErrors(draft)).length === 0}
            />
          </>
        )}
        <Divider />
        <WhenFields {...fields} hasManual />
        {draft.frequency !== 'never' && (
          <>
            <Group gap="sm" align="flex-start">
              <TextInput
                type="time"
                label="Not before"
                description="Optional"
                flex="1 1 140px"
                value={draft.windowStart}
                onChange={(event) => change({ windowStart: event.currentTarget.value })}
              />
              <TextInput
                type="time"
                label="Not after"
                description="Optional"
                flex="1 1 140px"
                error={fields.errors.windowEnd}
                value={draft.windowEnd}
                onChange={(event) => change({ windowEnd: event.currentTarget.value })}
              />
            </Group>
            <TimeZoneSelect
              label="Time zone"
              placeholder="That of each site"
              clearable
              value={draft.timezone || null}
              onChange={(zone) => change({ timezone: zone ?? '' })}
            />
          </>
        )}
        <Divider />
        <KeepFields {...fields} />
        <LockFields {...fields} isByStorage={isLocking(storages ?? [], draft.storageId)} />
        <Divider />
        {storages && (
          <WhereField storages={storages} value={draft.storageId} onChange={(storageId) => change({ storageId })} />
        )}
        <NumberField
          label="Upload limit (Mbit/s)"
          description="Optional, for each device."
          range={bandwidthRange}
          value={draft.bandwidth}
          onChange={(bandwidth) => change({ bandwidth })}
        />
        <NotifyField {...fields} />
        <DialogFooter>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

/** Whether the storage that is chosen, or the default one, can lock snapshots itself. */
function isLocking(storages: readonly BackupConfig[], chosen: string | null): boolean {
  const storage = storages.find(({ id, isDefault }) => (chosen === null ? isDefault : id === chosen))
  return storage !== undefined && canLockObjects(storage)
}

/** A policy of the company has profiles of the company only; one that is not offered any more can stay. */
const mayUse = ({ orgId }: ConfigurationPolicy, profile: BackupProfile, chosen: string | null): boolean =>
  profile.id === chosen || (profile.isActive && (orgId !== null || profile.orgId === null))

/** What the link refers to; undefined leaves that as it is. */
function profileIn(draft: PlanDraft, before: PlanDraft): string | null | undefined {
  if (draft.what === 'profile') return draft.profileId
  return before.what === 'profile' ? null : undefined
}
