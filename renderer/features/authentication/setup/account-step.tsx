import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useEffect, useEffectEvent } from 'react'
import { RegistrationChoice } from '../../../domain/registration/registration-choice.tsx'
import { ApiError } from '../../../lib/api-error.ts'
import { fieldErrorsOf, messageFor } from '../../../lib/error-messages.ts'
import { queryClient } from '../../../lib/query-client.ts'
import { bootstrapAppliance, publicConfigQuery, setupNeededQuery } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { TextLink } from '../../../ui/links.tsx'
import { AccountFields, accountRules, emptyAccount } from '../registration/account-fields.tsx'

/** The code comes in the link as `?code=`, or as `#code=`, which stays out of server logs. */
function useLinkCode(): string {
  const { code } = useSearch({ from: '/setup' })
  const hash = useLocation({ select: (location) => location.hash })
  return code ?? new URLSearchParams(hash).get('code') ?? ''
}

export function AccountStep({ onDone }: { onDone: () => void }) {
  const linkCode = useLinkCode()
  const form = useForm({
    initialValues: { ...emptyAccount, setupCode: linkCode, openRegistration: false },
    validateInputOnBlur: ['email'],
    validate: {
      ...accountRules,
      setupCode: (code) => (code.trim() ? null : 'Enter the code from the terminal'),
    },
  })
  // A link pasted into this tab only changes the hash.
  const takeCode = useEffectEvent((code: string) => form.setFieldValue('setupCode', code))
  useEffect(() => {
    if (linkCode) takeCode(linkCode)
  }, [linkCode])
  const create = useMutation({
    mutationFn: bootstrapAppliance,
    onSuccess: onDone,
    onError: (error) => {
      form.setErrors(fieldErrorsOf(error))
      if (isSetUp(error)) queryClient.setQueryData(setupNeededQuery.queryKey, false)
      if (error instanceof ApiError && error.code === 'setup_code_invalid') {
        form.setFieldError('setupCode', messageFor(error))
      }
    },
  })
  const isCodeWrong = create.error instanceof ApiError && create.error.code === 'setup_code_invalid'
  return (
    <form
      onSubmit={form.onSubmit((values) => create.mutate({ ...values, setupCode: values.setupCode.trim() }))}
      noValidate
    >
      <Stack>
        {!isCodeWrong && <FormError error={create.error}>{isSetUp(create.error) && <SignInInstead />}</FormError>}
        {(!linkCode || isCodeWrong) && (
          <TextInput
            label="Setup code"
            description="The terminal showed it when Homeport started. You’ll also find it in the file setup-code in the data folder."
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('setupCode')}
          />
        )}
        <AccountFields form={form} aboutEmail="You’ll use this to sign in." />
        <Registration
          isOpen={form.values.openRegistration}
          onChange={(isOpen) => form.setFieldValue('openRegistration', isOpen)}
        />
        <Button type="submit" loading={create.isPending} fullWidth>
          Create administrator
        </Button>
      </Stack>
    </form>
  )
}

function Registration(props: ComponentProps<typeof RegistrationChoice>) {
  const registration = useQuery(publicConfigQuery).data?.registration
  if (!registration?.setByEnvironment) return <RegistrationChoice {...props} />
  return (
    <Text size="sm" c="dimmed">
      {registration.enabled ? 'Anyone' : 'No one else'} can register companies on this appliance. It’s set by
      ENABLE_REGISTRATION.
    </Text>
  )
}

/** The appliance was set up in the meantime. */
const isSetUp = (error: unknown) => error instanceof ApiError && error.code === 'already_bootstrapped'

const SignInInstead = () => (
  <TextLink to="/login" size="sm" underline="always">
    Go to sign-in
  </TextLink>
)
