import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { startRestore } from '../../data/backup-restores.ts'
import { deviceQuery } from '../../data/devices.ts'
import { exactTime } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { focusFirstField } from '../../ui/dialog-focus.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { deviceName } from '../devices/device-labels.ts'
import { ExistingField } from './existing-field.tsx'
import { newRestore, problemOf, type RestoreDraft, restoreInputOf } from './restore-draft.ts'
import { RestorePreview } from './restore-preview.tsx'
import { whatIsRestored } from './restore-words.ts'
import { SourceField } from './source-field.tsx'
import { TargetDevice } from './target-device.tsx'
import { TargetField } from './target-field.tsx'

interface Props {
  snapshot: BackupSnapshot
  paths: readonly string[]
  /** The device that was backed up; undefined for people who may not see devices. */
  source: DeviceDetail | undefined
  onClose: () => void
}

export function RestoreForm({ snapshot, paths, source, onClose }: Props) {
  const me = useMe()
  const navigate = useNavigate()
  const [draft, setDraft] = useState<RestoreDraft>(() =>
    newRestore(source?.status === 'decommissioned' ? '' : snapshot.deviceId),
  )
  const [isTried, setTried] = useState(false)
  const isElsewhere = draft.deviceId !== snapshot.deviceId
  const other = useQuery({ ...deviceQuery(draft.deviceId), enabled: isElsewhere && draft.deviceId !== '' }).data
  const target = isElsewhere ? other : source
  const isOtherSite = source !== undefined && target !== undefined && source.siteId !== target.siteId
  const isForbidden = isOtherSite && !can(me, 'backup:cross_site_restore')
  const problem = problemOf(draft, target?.osType)
  const isRefused = problem !== null && !(problem === 'system' && draft.isSystemAllowed)
  const start = useMutation({
    ...startRestore,
    onSuccess: async ({ id }) => {
      await startRestore.onSuccess()
      onClose()
      await navigate({ to: '/backup/restores/$restoreId', params: { restoreId: id } })
    },
  })
  const change = (part: Partial<RestoreDraft>) => setDraft((old) => ({ ...old, ...part }))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isRight = draft.deviceId !== '' && !isRefused && !isForbidden
    setTried(!isRight)
    if (isRight && !start.isPending) start.mutate(restoreInputOf(draft, { snapshot, paths }))
  }
  const what = whatIsRestored({
    restoreType: paths.length > 0 ? 'selective' : 'full',
    selectedPaths: [...paths],
  })
  return (
    <form ref={focusFirstField} onSubmit={submit} noValidate>
      <Stack>
        <FormError error={start.error} title="Nothing was restored" />
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Text span inherit fw={600}>
            {what}
          </Text>
          {` as ${paths.length < 2 ? 'it was' : 'they were'} on ${exactTime(snapshot.createdAt)}`}
          {source && ` on ${deviceName(source)}`}.
        </Text>
        <TargetField
          draft={draft}
          problem={isTried || problem === 'system' ? problem : null}
          source={source}
          target={target}
          onChange={change}
        />
        <SourceField snapshotId={snapshot.id} value={draft.vaultId} onChange={(vaultId) => change({ vaultId })} />
        {source && (
          <TargetDevice
            source={source}
            value={draft.deviceId}
            error={siteError(target, isForbidden) ?? (isTried && draft.deviceId === '' ? 'Choose a device' : undefined)}
            onChange={(deviceId) => change({ deviceId })}
          />
        )}
        {draft.to !== 'new' && <ExistingField value={draft.existing} onChange={(existing) => change({ existing })} />}
        {draft.deviceId !== '' && !isForbidden && (
          <RestorePreview draft={draft} snapshot={snapshot} paths={paths} target={target} />
        )}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={start.isPending}>
            Restore
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

function siteError(target: DeviceDetail | undefined, isForbidden: boolean): string | undefined {
  if (!target || !isForbidden) return undefined
  return `${deviceName(target)} is at another site, ${target.siteName}. That needs the permission “Restore to another site”.`
}
