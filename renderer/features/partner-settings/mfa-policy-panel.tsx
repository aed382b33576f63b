import { Alert, Checkbox, Input, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { enrollmentOptionsQuery } from '../../data/mfa.ts'
import { changeOwnPartner } from '../../data/partner.ts'
import { ApiError } from '../../lib/api-error.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { inRange } from '../../lib/number-range.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TextLink } from '../../ui/links.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'
import { saveSecurity } from './save-security.tsx'
import { securityOf } from './settings.ts'

const graceDays = { min: 0, max: 30 }

const valuesOf = (partner: Partner) => {
  const { requireMfa = false, mfaEnrollmentGraceDays = 14, allowedMfaMethods = {} } = securityOf(partner)
  return {
    requireMfa,
    graceDays: mfaEnrollmentGraceDays as number | string,
    totp: allowedMfaMethods.totp ?? true,
    sms: allowedMfaMethods.sms ?? true,
  }
}

export function MfaPolicyPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const me = useMe()
  const form = useForm({
    initialValues: valuesOf(partner),
    validate: { graceDays: inRange(graceDays) },
  })
  useUnsavedChanges(form.isDirty())
  const save = useMutation({
    mutationFn: ({ requireMfa, graceDays, totp, sms }: typeof form.values) =>
      saveSecurity({ requireMfa, mfaEnrollmentGraceDays: Number(graceDays), allowedMfaMethods: { totp, sms } }, me),
    onSuccess: async (saved) => {
      if (!saved) return
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone('Rules saved')
      await changeOwnPartner.onSuccess(saved)
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  const { requireMfa } = form.values
  const sendsTexts = useQuery(enrollmentOptionsQuery).data?.phoneConfigured ?? true
  return (
    <SavePanel
      title="Two-factor authentication"
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onDiscard={() => {
        form.reset()
        save.reset()
      }}
      isEditable={isEditable}
      isDirty={form.isDirty()}
      isPending={save.isPending}
    >
      <LockOut error={save.error} />
      <Switch
        label="Require two-factor authentication"
        description="People without it must set it up at next sign-in."
        disabled={!isEditable}
        {...form.getInputProps('requireMfa', { type: 'checkbox' })}
      />
      {requireMfa && !me.mfaEnabled && form.isDirty('requireMfa') && (
        <Alert color="yellow" variant="light" p="sm" role="status">
          You don’t have it yourself: you’ll set it up right after saving.
        </Alert>
      )}
      <NumberField
        label="Grace period (days)"
        description="Applies where only a role requires it: how long people may work without one. 0 means none."
        range={graceDays}
        maw={340}
        readOnly={!isEditable}
        {...form.getInputProps('graceDays')}
      />
      <Input.Wrapper label="Allowed besides passkeys" labelElement="div">
        <Stack gap="xs" mt={6} role="group" aria-label="Allowed besides passkeys">
          <Checkbox
            label="Authenticator app"
            disabled={!isEditable}
            {...form.getInputProps('totp', { type: 'checkbox' })}
          />
          <Checkbox
            label="Text message"
            description={!sendsTexts && <NoProvider isOperator={me.isPlatformAdmin} />}
            // Text messages can be forbidden without an SMS provider, but not allowed.
            disabled={!isEditable || (!sendsTexts && !valuesOf(partner).sms)}
            {...form.getInputProps('sms', { type: 'checkbox' })}
          />
        </Stack>
      </Input.Wrapper>
    </SavePanel>
  )
}

function NoProvider({ isOperator }: { isOperator: boolean }) {
  return (
    <>
      Not available: this appliance doesn’t send text messages.{' '}
      {isOperator ? (
        <TextLink to="/system/mail" search={{ tab: 'text-messages' }} size="xs" underline="always">
          Set up a provider
        </TextLink>
      ) : (
        'The appliance’s operator can set up a provider.'
      )}
    </>
  )
}

/** A refusal that counts the people who would be locked out says what to do. */
function LockOut({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'mfa_policy_would_lock_out_users')
    return <FormError error={error} />
  const { count, countCapped } = error.body as { count?: number; countCapped?: boolean }
  const people =
    count === undefined ? 'People' : `${countCapped ? 'More than ' : ''}${plural(count, 'person', 'people')}`
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      {people} could no longer sign in: their only second factor would no longer be allowed. Nothing was saved. Ask them
      to add a passkey or another allowed factor first.
    </Alert>
  )
}
