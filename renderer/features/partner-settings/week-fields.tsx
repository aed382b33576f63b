import { Box, Checkbox, Text, TextInput } from '@mantine/core'
import { type Day, hoursProblem, isOvernight, type Week, weekdays } from './business-hours.ts'
import classes from './week-fields.module.css'

interface Props {
  week: Week
  isEditable: boolean
  areProblemsShown: boolean
  onChange: (week: Week) => void
}

/** Start and end of each weekday. */
export function WeekFields({ week, isEditable, areProblemsShown, onChange }: Props) {
  const change = (day: Day, part: Partial<Week[Day]>) => onChange({ ...week, [day]: { ...week[day], ...part } })
  return (
    <div className={classes.week}>
      {weekdays.map(([day, name]) => {
        const hours = week[day]
        const problem = areProblemsShown ? hoursProblem(hours) : null
        const time = (part: 'start' | 'end', label: string) => (
          <TextInput
            type="time"
            size="xs"
            aria-label={`${name}, ${label}`}
            readOnly={!isEditable}
            value={hours[part]}
            error={Boolean(problem)}
            onChange={(event) => change(day, { [part]: event.currentTarget.value })}
          />
        )
        return (
          <Box key={day} className={classes.day} role="group" aria-label={name}>
            <Checkbox
              label={name}
              checked={!hours.closed}
              disabled={!isEditable}
              onChange={(event) => change(day, { closed: !event.currentTarget.checked })}
            />
            {hours.closed ? (
              <Text size="sm" c="dimmed" className={classes.closed}>
                Closed
              </Text>
            ) : (
              <>
                {time('start', 'from')}
                <Text size="sm" aria-hidden>
                  –
                </Text>
                {time('end', 'until')}
              </>
            )}
            {(problem ?? (isOvernight(hours) && 'Until the next day')) && (
              <Text size="xs" c={problem ? 'var(--mantine-color-error)' : 'dimmed'} className={classes.about}>
                {problem ?? 'Until the next day'}
              </Text>
            )}
          </Box>
        )
      })}
    </div>
  )
}
