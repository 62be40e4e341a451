/** What the page needs of reading tables, loaded when a table asks. */
export { optionsOfFlags } from 'pc-ae/formats';
