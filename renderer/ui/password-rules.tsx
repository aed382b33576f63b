import { List, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconPoint } from '@tabler/icons-react'
import { passwordRules } from '../../shared/fields.ts'

// The upper limit is only shown once reached.
const shown = (password: string) =>
  passwordRules.filter((rule) => !/at most/.test(rule.message) || !rule.holds(password))

const short = (message: string) =>
  message.replace(/^Password must (be|contain) /, '').replace(/^./, (first) => first.toUpperCase())

/** The password rules, each checked off as soon as it holds. */
export function PasswordRules({ password }: { password: string }) {
  return (
    <List pl={0} center size="xs" c="dimmed" spacing={4} aria-label="A password needs">
      {shown(password).map((rule) => {
        const holds = rule.holds(password)
        return (
          <List.Item
            key={rule.message}
            c={holds ? 'var(--mantine-color-text)' : undefined}
            icon={
              <ThemeIcon size={14} variant="transparent" color={holds ? 'teal' : 'gray'} aria-hidden>
                {holds ? <IconCheck size={13} stroke={2.5} /> : <IconPoint size={13} />}
              </ThemeIcon>
            }
          >
            {short(rule.message)}
            <VisuallyHidden>{holds ? ': done' : ': missing'}</VisuallyHidden>
          </List.Item>
        )
      })}
    </List>
  )
}
