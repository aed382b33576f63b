import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { Organization } from '../../../../shared/api/organizations.ts'
import { type MoveOutcome, moveDevicesMutation } from '../../../data/device-moves.ts'
import { sitesQuery } from '../../../data/sites.ts'
import { enrollmentClosedReason } from '../../../domain/organizations/enrollment-closed.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { usePreselectOnlyOption } from '../../../lib/use-preselect-only-option.ts'
import { commonTo, type MovableDevice } from './movable-device.ts'
import type { MoveDestination } from './notify-moved.tsx'

/** Where the devices are to go; preselected is the organization they are in. */
export function useMove(
  devices: readonly MovableDevice[],
  organizations: readonly Organization[],
  onDone: (outcome: MoveOutcome, to: MoveDestination) => void,
) {
  const reasonAgainst = (id: string) => {
    const chosen = organizations.find((one) => one.id === id)
    return chosen ? enrollmentClosedReason(chosen) : null
  }
  const form = useForm({
    initialValues: { orgId: commonTo(devices, 'orgId') ?? '', siteId: '' },
    validate: {
      orgId: (id) => (id ? reasonAgainst(id) : 'Choose an organization'),
      siteId: (id) => (id ? null : 'Choose a site'),
    },
  })
  const { orgId, siteId } = form.values
  const sites = useQuery({ ...sitesQuery(orgId), enabled: orgId !== '' })
  const presentSite = commonTo(devices, 'siteId')
  const others = sites.data?.filter(({ id }) => id !== presentSite)
  usePreselectOnlyOption(others, siteId, (id) => {
    form.setFieldValue('siteId', id)
    // A preselected value does not count as a change.
    if (!form.isDirty('orgId')) form.resetDirty({ orgId, siteId: id })
  })
  const orgName =
    [...organizations, ...devices.map((one) => ({ id: one.orgId, name: one.orgName }))].find(({ id }) => id === orgId)
      ?.name ?? ''
  const saving = useFormSubmission(form, {
    mutationFn: (place) => moveDevicesMutation.mutationFn({ ...place, deviceIds: devices.map(({ id }) => id) }),
    onSuccess: async (outcome) => {
      onDone(outcome, { orgId, orgName, siteId, siteName: others?.find(({ id }) => id === siteId)?.name ?? '' })
      await moveDevicesMutation.onSuccess()
    },
  })
  return { form, sites, others, saving, orgName, closedReason: reasonAgainst(orgId) }
}
