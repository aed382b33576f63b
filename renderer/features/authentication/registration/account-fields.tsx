import { TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { passwordProblem } from '../../../../shared/fields.ts'
import { NewPassword } from '../../../ui/new-password.tsx'

/** First fields of a new partner and its administrator, at set-up and registration. */
export const emptyAccount = { companyName: '', name: '', email: '', password: '' }
type Account = typeof emptyAccount

export const accountRules = {
  companyName: (name: string) => (name.trim().length >= 2 ? null : 'Enter the name of your company'),
  name: (name: string) => (name.trim() ? null : 'Enter your name'),
  email: (email: string) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter an email address'),
  password: passwordProblem,
}

interface Props<Values extends Account> {
  form: UseFormReturnType<Values>
  aboutEmail: string
}

export function AccountFields<Values extends Account>({ form, aboutEmail }: Props<Values>) {
  const { companyName, name, email, password } = form.values
  return (
    <>
      <TextInput
        label="Company"
        name="organization"
        autoComplete="organization"
        autoFocus
        {...form.getInputProps('companyName')}
      />
      <TextInput label="Your name" name="name" autoComplete="name" {...form.getInputProps('name')} />
      <TextInput
        label="Email"
        description={aboutEmail}
        type="email"
        name="email"
        autoComplete="username"
        {...form.getInputProps('email')}
      />
      <NewPassword about={[companyName, name, email]} {...form.getInputProps('password')} value={password} />
    </>
  )
}
