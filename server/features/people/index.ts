export { createPeople } from './create-people.ts'
