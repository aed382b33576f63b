import { NumberInput, Radio, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { retentionDays } from '../../../shared/api/lifecycle.ts'
import type { Organization } from '../../../shared/api/organizations.ts'
import { archiveOrganizationMutation } from '../../data/lifecycle.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { dateOnly } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { dayMs, useNow } from '../../lib/now.ts'
import { ConfirmActionForm } from './confirm-action-form.tsx'
import { Consequences } from './consequences.tsx'
import { needsTypedName } from './lifecycle-actions.ts'

interface Props {
  organization: Organization
  onClose: () => void
}

const defaultDays = 90

export function ArchiveForm({ organization: { id, name, status }, onClose }: Props) {
  const [isKept, setKept] = useState(true)
  const [daysText, setDaysText] = useState<number | string>(defaultDays)
  const isNameNeeded = needsTypedName('archive', useDeviceCount(id))
  const now = useNow()
  const { success: isValid, data: days = defaultDays } = retentionDays.safeParse(daysText)
  const { mutationFn, onSuccess } = archiveOrganizationMutation(id)
  const archive = useMutation({
    mutationFn,
    onSuccess: (reply) => {
      onClose()
      notifyDone(reply.status === 'archived' ? `${name} was archived` : `${name} is being archived`)
      return onSuccess()
    },
  })
  return (
    <ConfirmActionForm
      action="archive"
      consequences={
        status === 'suspended' ? (
          'The organization is suspended, so its agents can’t be asked to uninstall themselves: they’re disconnected immediately. Its data becomes inaccessible until restored.'
        ) : (
          <Consequences action="archive" orgId={id} />
        )
      }
      typedName={isNameNeeded || !isKept ? name : undefined}
      error={archive.error}
      isPending={archive.isPending}
      isBlocked={!isKept && !isValid}
      onConfirm={() => archive.mutate(isKept ? null : days)}
      onClose={onClose}
    >
      <Radio.Group
        label="Retention"
        value={isKept ? 'kept' : 'deleted'}
        onChange={(value) => setKept(value === 'kept')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="kept" label="Keep until restored" />
          <Radio value="deleted" label="Delete permanently after some days" />
          {!isKept && (
            <NumberInput
              ml={30}
              styles={{ wrapper: { maxWidth: 160 } }}
              label="Days"
              min={1}
              max={3650}
              clampBehavior="none"
              allowDecimal={false}
              value={daysText}
              onChange={setDaysText}
              error={isValid ? undefined : 'Enter 1 to 3,650 days'}
              description={
                isValid
                  ? `All data will be deleted on ${dateOnly(new Date(now + days * dayMs).toISOString())}`
                  : undefined
              }
            />
          )}
        </Stack>
      </Radio.Group>
    </ConfirmActionForm>
  )
}
