import { Button, type PasswordInputProps, Stack } from '@mantine/core'
import { TextLink } from '../../../ui/links.tsx'
import { PasswordField } from '../../../ui/password-field.tsx'

interface Props {
  field: PasswordInputProps
  email: string
  isInPlace: boolean
  hasFocus: boolean
  isPending: boolean
  isWaiting: boolean
}

export function PasswordSection({ field, email, isInPlace, hasFocus, isPending, isWaiting }: Props) {
  return (
    <>
      <Stack gap={6}>
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          autoFocus={hasFocus}
          data-autofocus={hasFocus || undefined}
          {...field}
        />
        {!isInPlace && (
          <TextLink to="/forgot-password" state={{ email }} size="sm" style={{ alignSelf: 'flex-start' }}>
            Forgot your password?
          </TextLink>
        )}
      </Stack>
      <Button type="submit" fullWidth loading={isPending} disabled={isWaiting}>
        Sign in
      </Button>
    </>
  )
}
