import { Alert, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { publicConfig } from '../../../shared/api/registration.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { changeRegistration } from '../../data/registration.ts'
import { RegistrationChoice } from '../../domain/registration/registration-choice.tsx'
import { notifyDone } from '../../lib/notify.ts'
import { publicConfigQuery } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'

type Config = ReplyOf<typeof publicConfig>

/** Whether strangers may register companies; for platform administrators. */
export function RegistrationPanel() {
  const config = useQuery(publicConfigQuery).data
  if (!config) return null
  const { enabled, setByEnvironment } = config.registration
  if (!setByEnvironment) return <Choice key={String(enabled)} config={config} />
  return (
    <Panel title="Registration">
      <Text size="sm">
        {enabled ? 'Anyone' : 'No one else'} can register companies on this appliance. It’s set by ENABLE_REGISTRATION.
      </Text>
      <WhyNotOffered config={config} />
    </Panel>
  )
}

function Choice({ config }: { config: Config }) {
  const form = useForm({ initialValues: { isOpen: config.registration.enabled } })
  const { submit, discard, isPending, error } = useFormSubmission(form, {
    mutationFn: ({ isOpen }) => changeRegistration.mutationFn(isOpen),
    onSuccess: async () => {
      notifyDone('Registration saved')
      await changeRegistration.onSuccess()
    },
  })
  return (
    <SavePanel
      title="Registration"
      onSubmit={submit}
      onDiscard={discard}
      isEditable
      isDirty={form.isDirty()}
      isPending={isPending}
    >
      <FormError error={error} />
      <RegistrationChoice isOpen={form.values.isOpen} onChange={(isOpen) => form.setFieldValue('isOpen', isOpen)} />
      <WhyNotOffered config={config} />
    </SavePanel>
  )
}

function WhyNotOffered({ config: { registration, mail } }: { config: Config }) {
  if (!registration.enabled || registration.shown) return null
  return (
    <Alert color="yellow" variant="light" p="sm" mt="xs">
      {mail.delivery === 'none'
        ? 'The sign-in page doesn’t offer it: registering takes a link by email, and no mail server is set up.'
        : 'The sign-in page doesn’t offer it (PUBLIC_ENABLE_REGISTRATION=false).'}
    </Alert>
  )
}
