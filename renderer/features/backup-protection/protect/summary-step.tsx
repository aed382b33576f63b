import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { BackupConfig } from '../../../../shared/api/backup-configs.ts'
import { ProtectDevices } from '../../../data/protect-devices.ts'
import { NotifyField } from '../../../domain/backup-policies/notify-field.tsx'
import {
  frequencyOf,
  type PlanDraft,
  type PlanErrors,
  scheduleOf,
  settingsOf,
} from '../../../domain/backup-policies/plan-draft.ts'
import { retentionFor } from '../../../domain/backup-policies/retention-choice.ts'
import { retentionWords } from '../../../domain/backup-policies/retention-words.ts'
import { scheduleWords, zoneWords } from '../../../domain/backup-policies/schedule-words.ts'
import { WhereField } from '../../../domain/backup-policies/where-field.tsx'
import { applianceStore } from '../../../domain/backup-storage/appliance-store.ts'
import { plural } from '../../../lib/format.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { type TargetDraft, targetsOf } from '../target-fields.tsx'
import { useCompeting } from './use-competing.ts'
import { useTargetSummary } from './use-target-summary.ts'

interface Props {
  org: { id: string; name: string }
  target: TargetDraft
  plan: PlanDraft
  /** Null for people who may not see them. */
  storages: readonly BackupConfig[] | null
  errors: PlanErrors
  onChange: (change: Partial<PlanDraft>) => void
  onBack: () => void
  /** With how many devices are protected now. */
  onDone: (count: number) => void
}

const whatNames = {
  people: 'People’s files',
  system: 'The whole system',
  custom: 'Chosen folders',
  profile: '',
  other: '',
}

export function SummaryStep({ org, target, plan, storages, errors, onChange, onBack, onDone }: Props) {
  const { count, place, where } = useTargetSummary(target, org)
  const mayAddStorage = can(useMe(), 'backup:write')
  const makesStore = storages?.every(({ enabled }) => !enabled) === true
  const suggested = [whatNames[plan.what], place].filter(Boolean).join(', ')
  const [name, setName] = useState(suggested)
  const targets = targetsOf(target, org.id)
  const competing = useCompeting(org.id, targets)
  const [isReplacing, setReplacing] = useState(true)
  const { protect, isPending, error } = useProtect()
  const schedule = scheduleOf(plan)
  const retention = retentionFor(plan.retention, frequencyOf(plan))
  const devices = count === undefined ? 'devices' : plural(count, 'device')
  const isRight = Object.keys(errors).length === 0
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isRight) return
    const wanted = {
      orgId: org.id,
      name: name.trim() || suggested,
      settings: settingsOf(plan),
      storage: makesStore ? applianceStore(true) : plan.storageId,
      targets,
      replaces: isReplacing ? competing : [],
    }
    if (await protect(wanted)) onDone(count ?? targets.length)
  }
  const chosen = storages?.find(({ id, isDefault }) => (plan.storageId === null ? isDefault : id === plan.storageId))
  const storageName = makesStore ? 'this appliance' : (chosen?.name ?? 'the default storage')
  const when = schedule ? ` ${scheduleWords(schedule)}, ${zoneWords(schedule)}` : ''
  const cannotStore = makesStore && !mayAddStorage
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} title="Nothing was protected" />
        {makesStore ? (
          <Notice tone={cannotStore ? 'warn' : 'busy'}>
            <Text size="sm">
              {cannotStore
                ? `${org.name} has no storage for backups yet. Ask someone who can manage backups to add one.`
                : 'Backups go to this appliance, which becomes the default storage. Others can be added under Storage.'}
            </Text>
          </Notice>
        ) : (
          storages && (
            <WhereField storages={storages} value={plan.storageId} onChange={(storageId) => onChange({ storageId })} />
          )
        )}
        <TextInput
          label="Name of the policy"
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NotifyField draft={plan} errors={errors} onChange={onChange} />
        <Text size="sm">
          {`${whatNames[plan.what]} ${where} ${plan.what === 'system' ? 'is' : 'are'} backed up to ${storageName}${when}. `}
          {`Snapshots are kept ${retentionWords(retention)}. The devices encrypt them.`}
        </Text>
        {competing.length > 0 && (
          <Notice tone="warn">
            <Text size="sm" mb="xs">
              Backed up already by {namesOf(competing)}. Only one policy applies to a device, and there the older one
              goes first.
            </Text>
            <Checkbox
              label={`End ${competing.length === 1 ? 'that assignment' : 'those assignments'}, so that this policy applies`}
              checked={isReplacing}
              onChange={(event) => setReplacing(event.currentTarget.checked)}
            />
          </Notice>
        )}
        <DialogFooter
          otherwise={
            <Button variant="default" disabled={isPending} onClick={onBack}>
              Back
            </Button>
          }
        >
          <Button type="submit" loading={isPending} disabled={cannotStore}>
            Protect {devices}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

const namesOf = (competing: readonly { policyName: string }[]): string =>
  [...new Set(competing.map(({ policyName }) => `“${policyName}”`))].join(', ')

/** What a failed try has left is taken back with the next one, or when the question is left. */
function useProtect() {
  const [work] = useState(() => new ProtectDevices())
  const { mutateAsync, isPending, error } = useMutation(work)
  useEffect(() => () => void work.takeBack().catch(() => undefined), [work])
  const protect = (wanted: Parameters<typeof mutateAsync>[0]) =>
    mutateAsync(wanted).then(
      () => true,
      () => false,
    )
  return { protect, isPending, error }
}
